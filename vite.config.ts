import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'
import { clientChunks } from './src/app/client-chunks.ts'
import { messageCatalogues } from './src/i18n/catalogue-plugin.ts'
import { leanIcons } from './src/client/lean-icons-plugin.ts'
import { leanPreload } from './src/client/lean-preload-plugin.ts'
import { leanReact } from './src/client/lean-react-plugin.ts'
import { leanRouter } from './src/client/lean-router-plugin.ts'
import { sonnerWithoutInlineStyle } from './src/client/sonner-style-plugin.ts'

const clientOutput = {
  entryFileNames: 'assets/[name]-[hash].js',
  codeSplitting: { groups: clientChunks(import.meta.dirname) },
}

export default defineConfig(({ command }) => ({
  plugins: [
    messageCatalogues(),
    sonnerWithoutInlineStyle(),
    leanPreload(),
    leanReact(),
    leanRouter(),
    leanIcons(),
    tailwindcss(),
    reactRouter(),
  ],
  resolve: {
    // The messages are compiled at build: pages carry the formatter without its parser.
    alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' },
  },
  // Found only while a page runs otherwise, which would reload it in the middle of work.
  optimizeDeps: { include: ['redux', 'sonner', 'use-intl'] },
  build: { manifest: true, assetsInlineLimit: 0, target: 'es2022', modulePreload: false },
  environments: {
    client: { build: { rollupOptions: { output: clientOutput } } },
    ssr: {
      build: { rollupOptions: { input: './src/app/render.tsx' } },
      // One file with React's production build in it, whatever NODE_ENV says when it runs.
      ...(command === 'build'
        ? { resolve: { noExternal: true }, define: { 'process.env.NODE_ENV': '"production"' } }
        : { resolve: { noExternal: ['use-intl', 'icu-minify', 'sonner'] } }),
    },
  },
}))
