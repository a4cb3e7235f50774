// The reader's choice of light or dark, before the first paint; without one the system's holds.
const chosen = localStorage.getItem("gridbeam.theme");
if (chosen) document.documentElement.dataset.theme = chosen;
