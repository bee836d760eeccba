// Reads dist-report/ and dist/licences.txt and writes dist/report-template.html, a report page without data. gametape replaces MARK with the data.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const MARK = "@@DATA@@";
// Escape closing tags: an inline script or style sheet ends at the first one, even inside a string.
const script = readFileSync("dist-report/report.js", "utf8").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = readFileSync("dist-report/report.css", "utf8").replaceAll("</style", "<\\/style");
const licences = readFileSync("dist/licences.txt", "utf8").split(`\n\n${"-".repeat(72)}\n\n`).filter((text) => /^(preact|uplot) /.test(text));
for (const part of [script, style, ...licences]) if (part.includes(MARK)) throw new Error(`the page template itself contains ${MARK}`);

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// Allow only this script, this style sheet, and data: or blob: images.
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

writeFileSync("dist/report-template.html", `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<title>gametape report</title>
<style>${style}</style>
</head>
<body>
<div id="app"><p class="loading">Loading report…</p></div>
<noscript>This report needs JavaScript. It makes no network requests.</noscript>
<template id="licences">${escaped(licences.join("\n\n"))}</template>
<script type="application/json" id="data">${MARK}</script>
<script>${script}</script>
</body>
</html>
`);
