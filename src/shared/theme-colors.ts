/** The ground of the pages in each colour scheme (`--ground` of src/app/styles/tokens.css), for bars around the page. */
export const THEME_COLORS = { light: '#f5f3ee', dark: '#0b0c0d' } as const
