import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { messageCatalogues } from './src/i18n/catalogue-plugin.ts'
import { precompress } from './src/server/pages/compression.ts'

const root = path.resolve(import.meta.dirname, 'src/apps/site/preview')
const outDir = path.resolve(import.meta.dirname, 'build/preview')

/** The frame in which the console shows pages of the shop: the shop's own screens and styles, without its calls. */
export default defineConfig({
  root,
  base: '/admin/preview/',
  publicDir: false,
  plugins: [
    messageCatalogues(),
    tailwindcss(),
    { name: 'volant:precompress', apply: 'build', closeBundle: async () => await precompress(outDir) },
  ],
  resolve: {
    alias: {
      'use-intl/format-message': 'use-intl/format-message/format-only',
      '#client/browser.ts': path.join(root, 'browser.ts'),
    },
  },
  build: {
    outDir,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      // See vite.config.ts: its stylesheet is a file.
      treeshake: { manualPureFunctions: ['__insertCSS'] },
    },
  },
})
