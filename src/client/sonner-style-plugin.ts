import type { Plugin } from 'vite'

/**
 * sonner adds a `<style>` element as soon as it is imported, which our content security policy forbids. Its stylesheet
 * is imported as a file instead (src/client/toaster.tsx), so the call is taken out.
 */
export function sonnerWithoutInlineStyle(): Plugin {
  return {
    name: 'volant:sonner-without-inline-style',
    apply: 'build',
    transform(code, id) {
      if (!id.includes('/sonner/dist/index.mjs')) return undefined
      const call = /^__insertCSS\(".*"\);?$/m
      if (!call.test(code)) throw new Error('sonner no longer inserts its style the way this plugin expects')
      return { code: code.replace(call, ''), map: null }
    },
  }
}
