/** A catalogue of namespaces.ts, or `all` for the server; see catalogue-plugin.ts. */
declare module 'virtual:messages/*' {
  const catalogue: import('./active-messages.ts').Catalogue
  export default catalogue
}
