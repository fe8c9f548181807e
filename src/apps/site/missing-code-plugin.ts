import type { Plugin } from 'vite'

const FILE = /react-router\/dist\/[\w/-]+\/routeModules\.m?js$/
const RELOADING =
  /console\.error\(`Error loading[^]*window\.location\.reload\(\);(?=\s*return new Promise\(\(\) => \{\}\);)/

/**
 * Loads the document that the click led to; after Back the browser has that address already. Once, also where the code was
 * being prefetched. Code that is only prefetched can wait.
 */
const GOING_ON = `
const to = !leaving && window.__reactRouterDataRouter.state.navigation.location;
if (to) {
  leaving = true;
  const url = new URL(to.pathname + to.search + to.hash, window.location.href).href;
  url === window.location.href ? window.location.reload() : window.location.assign(url);
}`

/**
 * Where the code of a page cannot be loaded, such as that of a release which no process has any more, React Router loads the
 * present page anew, even for a link that is only pointed at. With this plugin it loads the page that was asked for.
 */
export function goOnWithoutCode(): Plugin {
  let found = false
  return {
    name: 'volant:go-on-without-code',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform(code, id) {
      if (!FILE.test(id.replaceAll('\\', '/')) || !RELOADING.test(code)) return undefined
      found = true
      return { code: `let leaving;${code.replace(RELOADING, GOING_ON)}`, map: null }
    },
    buildEnd(error) {
      if (!found && !error)
        this.error('React Router loads the code of pages in another way than this expects')
    },
  }
}
