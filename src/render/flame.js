/*
 * Each flamegraph of the document gets its behaviour by attach().  A page that adds a flamegraph later dispatches the
 * event `hd-attach` at its svg element.
 */
const attachIfDrawn = svg => svg.querySelector('.r > *') && attach(svg);
document.querySelectorAll('svg.hd-flame').forEach(attachIfDrawn);
document.addEventListener('hd-attach', e => attachIfDrawn(e.target));
