import { createHash } from 'node:crypto'
import path from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import { type Plugin, defineConfig } from 'vite'
import { messageCatalogues } from './src/i18n/catalogue-plugin.ts'

const hashSource = (code: string): string => `'sha256-${createHash('sha256').update(code).digest('base64')}'`

/** A face that a single file cannot have; the next one of its family stands in. */
const FONT_FACE = /@font-face\s*\{[^}]*url\([^}]*\}/g

/** Puts the script and the styles into the document, and a security policy that allows them and no connection at all. */
const oneFile: Plugin = {
  name: 'volant:one-file',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const document = bundle['index.html']
      if (document?.type !== 'asset') return this.error('there is no document')
      let html = String(document.source)
      const policy = { 'script-src': [] as string[], 'style-src': [] as string[] }
      const replace = (tag: RegExp, element: string, code: string): void => {
        if (!tag.test(html)) this.error(`the document has no tag of its ${element}`)
        html = html.replace(tag, '')
        const place = element === 'style' ? '</head>' : '</body>'
        const type = element === 'style' ? '' : ' type="module"'
        html = html.replace(place, () => `<${element}${type}>${code}</${element}>\n${place}`)
        policy[element === 'style' ? 'style-src' : 'script-src'].push(hashSource(code))
      }
      for (const [name, output] of Object.entries(bundle)) {
        if (name === 'index.html') continue
        delete bundle[name]
        if (output.type === 'chunk') {
          if (!output.isEntry) this.error(`${name} is a second script`)
          replace(/<script [^>]*src="[^"]*"[^>]*><\/script>\n?/, 'script', escaped(output.code))
        } else if (name.endsWith('.css')) {
          const css = String(output.source).replaceAll(FONT_FACE, '')
          if (/url\(/.test(css)) this.error('the styles load a file')
          replace(/<link rel="stylesheet"[^>]*>\n?/, 'style', css)
        }
      }
      const directives = [
        "default-src 'none'",
        ...Object.entries(policy).map(([name, sources]) => `${name} ${sources.join(' ')}`),
        'worker-src blob:',
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ')
      const meta = `<meta http-equiv="Content-Security-Policy" content="${directives}" />`
      document.source = html.replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${meta}`)
    },
  },
}

/** What would end the script in a document. */
const escaped = (code: string): string => code.replaceAll(/<(?=\/script|!--)/gi, '\\x3C')

/** `verify.html`: the check of a draw as one file that works without a network. */
export default defineConfig({
  root: path.resolve(import.meta.dirname, 'src/features/draws/screens/verify/file'),
  base: './',
  publicDir: false,
  plugins: [messageCatalogues(), tailwindcss(), oneFile],
  // Vite would look for one in the folders above.
  css: { postcss: {} },
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  build: {
    outDir: path.resolve(import.meta.dirname, 'build/verify'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: { output: { codeSplitting: false } },
  },
})
