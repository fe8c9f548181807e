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

const SCRIPTS = { mark: 'm', path: '/', messages: ['/assets/fr.js'] }
const started = (path: string, ...routes: string[]): string =>
  withPageScripts(documentOf('root', 'routes/pages', ...routes), { ...SCRIPTS, path })

/** The files that the page's script loads, in their order. */
const filesOf = (html: string): unknown => JSON.parse(/Promise\.all\((\[.*?\])/.exec(html)?.[1] ?? 'null')
const assets = (...names: string[]): string[] => names.map((name) => `/assets/${name}.js`)

describe('the script that starts a page', () => {
  test('loads all files at the same time, but for those that the common file contains', () => {
    expect(filesOf(started('/', 'routes/home'))).toEqual(assets('route2', 'manifest', 'base', 'fr'))
    const withoutRoute = assets('manifest', 'entry', 'base', 'fr')
    expect(filesOf(started('/')), 'no route of its own').toEqual(withoutRoute)
  })

  test("passes the modules of the page's own routes to React Router, the outer one first", () => {
    const html = started('/offers/one', 'routes/offer-head', 'routes/offer')
    expect(html).toContain('{"routes/offer-head":m[0],"routes/offer":m[1]}')
    expect(filesOf(html)).toEqual(expect.arrayContaining(assets('route2', 'route3')))
  })

  test.each(['/', '/offers', '/login'])('waits for the first paint of %s, and preloads nothing', (path) => {
    const html = started(path, 'routes/own')
    expect(html).toContain("observe({type:'paint'")
    expect(html).not.toContain('modulepreload')
  })

  test.each(['/offers/one', '/cart', '/profile/data'])('preloads the files of a skeleton: %s', (path) => {
    const html = started(path, 'routes/own')
    expect(html).not.toMatch(/observe\(|entry\.js/)
    const head = html.slice(0, html.indexOf('</head>'))
    expect(head).toContain('<link rel="modulepreload" fetchpriority="low" href="/assets/fr.js"/>')
  })

  test('contains a small file, which is not loaded', () => {
    const inlined = { '/assets/manifest.js': 'window.routes={"$&":1};', '/assets/other.js': 'no()' }
    const html = withPageScripts(documentOf('root', 'routes/pages', 'routes/home'), { ...SCRIPTS, inlined })
    expect(html).toContain('<script nonce="m" type="module">window.routes={"$&":1};')
    expect(html).not.toMatch(/no\(\)|manifest\.js/)
  })

  test.each([
    ['<html><head></head></html>', 'no script'],
    [documentOf('root').replace('import("', 'load("'), 'another way'],
  ])('is refused for a document of another form', (html, message) => {
    expect(() => withPageScripts(html, SCRIPTS)).toThrow(message)
  })
})
