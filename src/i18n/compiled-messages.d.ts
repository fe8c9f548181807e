/** Namespaces of a language with their messages compiled at build: see catalogue-plugin.ts. */
declare module 'virtual:messages/*' {
  const messages: Partial<import('./keys.ts').Messages>
  export default messages
}
