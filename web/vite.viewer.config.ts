import { defineConfig } from "vite";

// The viewer: a folder of static files that works at any address, also below a path. build/viewer.mjs completes its page; gametape.wasm, which cargo
// builds (scripts/viewer-wasm), belongs beside it.
export default defineConfig({
  root: "viewer",
  base: "./",
  publicDir: false,
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  worker: { format: "es" },
  build: {
    target: "es2022",
    outDir: "../dist/viewer",
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
