import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { UNUSED_BY_CONSOLE, leaveOutUnused } from './src/apps/site/unused-parts-plugin.ts'
import { messageCatalogues } from './src/i18n/catalogue-plugin.ts'
import { precompress } from './src/server/pages/compression.ts'

const outDir = path.resolve(import.meta.dirname, 'build/console')

/** The console: an application of its own, so that no visitor of the shop loads a byte of it. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, 'src/apps/console'),
  base: '/admin/',
  publicDir: false,
  plugins: [
    messageCatalogues(),
    tailwindcss(),
    leaveOutUnused(UNUSED_BY_CONSOLE),
    { name: 'volant:precompress', apply: 'build', closeBundle: async () => await precompress(outDir) },
  ],
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  build: {
    outDir,
    emptyOutDir: true,
    manifest: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      // See vite.config.ts: its stylesheet is a file.
      treeshake: { manualPureFunctions: ['__insertCSS'] },
    },
  },
})
