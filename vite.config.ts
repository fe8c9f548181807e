import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { clientChunks } from './src/apps/site/client-chunks.ts'
import { goOnWithoutCode } from './src/apps/site/missing-code-plugin.ts'
import { messageCatalogues } from './src/i18n/catalogue-plugin.ts'
import { UNUSED_BY_SHOP, leaveOutUnused } from './src/apps/site/unused-parts-plugin.ts'

const clientOutput = {
  entryFileNames: 'assets/[name]-[hash].js',
  codeSplitting: { groups: clientChunks(import.meta.dirname) },
}

const treeshake = {
  // Neither reading a property nor naming a global does anything but that: what is unused goes although it does so.
  propertyReadSideEffects: false,
  unknownGlobalSideEffects: false,
  // sonner inserts a `<style>` element as soon as it is imported, which the content security policy forbids. Its
  // stylesheet is loaded as a file (src/client/toaster.tsx).
  manualPureFunctions: ['__insertCSS'],
} as const

export default defineConfig(({ command }) => ({
  plugins: [
    messageCatalogues(),
    tailwindcss(),
    goOnWithoutCode(),
    leaveOutUnused(UNUSED_BY_SHOP),
    reactRouter(),
  ],
  resolve: {
    // The messages are compiled at build: pages carry the formatter without its parser.
    alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' },
  },
  // Found only while a page runs otherwise, which would reload it in the middle of work.
  optimizeDeps: {
    entries: ['src/apps/site/{entry.client,root}.tsx', 'src/apps/site/routes/*.tsx'],
    include: ['use-intl > @formatjs/fast-memoize'],
  },
  // What a check seldom needs is a file of its own.
  worker: { format: 'es' },
  build: { manifest: true, assetsInlineLimit: 0, target: 'es2022', modulePreload: false },
  environments: {
    client: { build: { rollupOptions: { output: clientOutput, treeshake } } },
    ssr: {
      build: { rollupOptions: { input: './src/apps/site/render.tsx' } },
      // One file with React's production build in it, whatever NODE_ENV says when it runs.
      ...(command === 'build'
        ? { resolve: { noExternal: true }, define: { 'process.env.NODE_ENV': '"production"' } }
        : { resolve: { noExternal: ['use-intl', 'icu-minify', 'sonner'] } }),
    },
  },
}))
