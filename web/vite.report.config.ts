import { defineConfig } from "vite";

// The page of `gametape export --to html`: one script and one style sheet, which build/report.mjs inlines into a single HTML file.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  publicDir: false,
  build: {
    target: "es2022",
    outDir: "dist-report",
    cssCodeSplit: false,
    // Inline all assets: the report is a single file.
    assetsInlineLimit: 1_000_000,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: "report/main.tsx",
      output: { format: "iife", entryFileNames: "report.js", assetFileNames: "report.[ext]", inlineDynamicImports: true },
    },
  },
});
