import { describe, expect, test } from 'vitest'
import { withPageScripts } from './page-scripts.ts'

/** A document as React Router writes it, for routes by their names. */
const documentOf = (...routes: string[]): string =>
  [
    '<html><head><link rel="modulepreload" href="/assets/manifest.js" nonce="m"/>',
    '<link rel="modulepreload" href="/assets/entry.js"/><link rel="modulepreload" href="/assets/base.js"/>',
    ...routes.map((_, index) => `<link rel="modulepreload" href="/assets/route${index}.js"/>`),
    '</head><body>page<script nonce="m" type="module" async="">import "/assets/manifest.js";',
    ...routes.map((_, index) => `import * as route${index} from "/assets/route${index}.js";`),
    `window.__reactRouterRouteModules = {${routes.map((name, index) => `"${name}":route${index}`).join(',')}};`,
    'import("/assets/entry.js");</script></body></html>',
  ].join('\n')

const started = (path: string, ...routes: string[]): string =>
  withPageScripts(documentOf('root', 'routes/pages', ...routes), {
    mark: 'm',
    path,
    messages: ['/assets/fr.js'],
  })

/** The files that the page's script asks for, in their order. */
const filesOf = (html: string): unknown => JSON.parse(/Promise\.all\((\[.*?\])/.exec(html)?.[1] ?? 'null')

describe('the script that starts a page', () => {
  test('asks for all files at the same time, and for none that only names what every page has', () => {
    expect(filesOf(started('/', 'routes/home'))).toEqual([
      '/assets/route2.js',
      '/assets/manifest.js',
      '/assets/base.js',
      '/assets/fr.js',
    ])
  })

  test("hands React Router the modules of the page's own routes, the outer one first", () => {
    const html = started('/offers/one', 'routes/offer-head', 'routes/offer')
    expect(html).toContain('{"routes/offer-head":m[0],"routes/offer":m[1]}')
    expect(filesOf(html)).toEqual(expect.arrayContaining(['/assets/route2.js', '/assets/route3.js']))
  })

  test('waits for the first paint where the server sent the page, and preloads nothing', () => {
    for (const path of ['/', '/offers', '/login']) {
      const html = started(path, 'routes/own')
      expect(html).toContain("observe({type:'paint'")
      expect(html).not.toContain('modulepreload')
    }
  })

  test('starts a page at once that its scripts fill, with its files named in the head', () => {
    for (const path of ['/offers/one', '/cart', '/profile/data']) {
      const html = started(path, 'routes/own')
      expect(html).not.toContain('observe(')
      expect(html.slice(0, html.indexOf('</head>'))).toContain(
        '<link rel="modulepreload" fetchpriority="low" href="/assets/fr.js"/>',
      )
      expect(html).not.toContain('entry.js')
    }
  })

  test('carries a file that is named as small enough, and does not ask for it', () => {
    const html = withPageScripts(documentOf('root', 'routes/pages', 'routes/home'), {
      mark: 'm',
      path: '/',
      messages: [],
      inlined: { '/assets/manifest.js': 'window.routes={"$&":1};', '/assets/other.js': 'no()' },
    })
    expect(html).toContain('<script nonce="m" type="module">window.routes={"$&":1};')
    expect(html).not.toMatch(/no\(\)|manifest\.js/)
  })

  test('starts by the entry where no route of the page itself is shown', () => {
    expect(filesOf(started('/'))).toEqual([
      '/assets/manifest.js',
      '/assets/entry.js',
      '/assets/base.js',
      '/assets/fr.js',
    ])
  })

  test('refuses a document that starts in another way', () => {
    const scripts = { mark: 'm', path: '/', messages: [] }
    expect(() => withPageScripts('<html><head></head></html>', scripts)).toThrow('no script')
    expect(() => withPageScripts(documentOf('root').replace('import("', 'load("'), scripts)).toThrow(
      'another way',
    )
  })
})
