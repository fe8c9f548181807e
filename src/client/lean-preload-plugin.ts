import type { Plugin } from 'vite'

const HELPER = '\0vite/preload-helper.js'

/**
 * What of Vite's helper for files on demand the shop uses: the styles that such a file brings are there before it runs.
 * Scripts are not preloaded (`modulePreload: false`), and a failure is the caller's to handle.
 */
const LEAN = `
  export const __vitePreload = (load, files = []) =>
    Promise.all(files.filter((file) => file.endsWith('.css')).map((file) => new Promise((resolve, reject) => {
      if (document.querySelector('link[rel=stylesheet][href="/' + file + '"]')) return resolve()
      const link = document.createElement('link')
      link.rel = 'stylesheet'
      link.href = '/' + file
      link.onload = resolve
      link.onerror = () => reject(new Error('Unable to preload CSS for ' + link.href))
      document.head.append(link)
    }))).then(load)`

/** Replaces Vite's helper by ten lines: half a kilobyte of every first visit. */
export function leanPreload(): Plugin {
  let replaced = false
  return {
    name: 'volant:lean-preload',
    enforce: 'pre',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    load(id) {
      if (id !== HELPER) return undefined
      replaced = true
      return LEAN
    },
    buildEnd(error) {
      if (!error && !replaced) throw new Error(`Vite no longer has ${HELPER.slice(1)}`)
    },
  }
}
