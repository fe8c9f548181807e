/** A catalogue of namespaces.ts, a part of the console's first, or `all` for the server; see catalogue-plugin.ts. */
declare module 'virtual:messages/*' {
  const catalogue: import('./active-messages.ts').Catalogue
  export default catalogue
}

/** What screens of the console may wait for. */
declare module 'virtual:console-catalogues' {
  const catalogues: Record<
    import('./namespaces.ts').ScreenCatalogue,
    import('./active-messages.ts').Catalogue
  >
  export default catalogues
}
