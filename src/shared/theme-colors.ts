/** `--ground` of src/apps/site/styles/tokens.css, for the bars of browsers. */
export const THEME_COLORS = { light: '#f5f3ee', dark: '#0b0c0d' } as const
