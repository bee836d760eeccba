// Writes dist/licences.txt: the licences of the third-party code and fonts in the pages.
import { readFileSync, writeFileSync } from "node:fs";

const parts = ["preact", "uplot"].map((name) => {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}`;
});
parts.push("Roboto Condensed\n\nCopyright Google LLC. Licensed under the Apache License, Version 2.0: see licence-apache-2.0.txt beside this file.");
writeFileSync("dist/licences.txt", `${parts.join(`\n\n${"-".repeat(72)}\n\n`)}\n`);
