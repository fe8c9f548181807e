/** A language's catalogue with its messages compiled at build: see catalogue-plugin.ts. */
declare module 'virtual:messages/*' {
  const messages: import('./keys.ts').Messages
  export default messages
}
