/** See catalogue-plugin.ts. */
declare module 'virtual:messages/*' {
  const messages: Partial<import('./keys.ts').Messages>
  export default messages
}
