// Takes dist-report/ and dist/licences.txt, writes dist/report-template.html: a page without its data. gametape puts the data where the mark stands.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const MARK = "@@DATA@@";
// A script or a style sheet ends where its element does, whatever stands around that.
const script = readFileSync("dist-report/report.js", "utf8").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = readFileSync("dist-report/report.css", "utf8").replaceAll("</style", "<\\/style");
const licences = readFileSync("dist/licences.txt", "utf8").split(`\n\n${"-".repeat(72)}\n\n`).filter((text) => /^(preact|uplot) /.test(text));
for (const part of [script, style, ...licences]) if (part.includes(MARK)) throw new Error(`${MARK} stands in the page itself`);

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// This script and this style sheet, pictures of its own, and nobody else.
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
<div id="app"><p class="loading">Reading the report…</p></div>
<noscript>This report needs JavaScript. Nothing in it asks the network for anything.</noscript>
<template id="licences">${escaped(licences.join("\n\n"))}</template>
<script type="application/json" id="data">${MARK}</script>
<script>${script}</script>
</body>
</html>
`);
