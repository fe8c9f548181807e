/** Joins class names; other values are left out. */
export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ')

/** Style of text controls; not in field.tsx, because every page has a select and few have a form. */
export const controlClasses =
  'min-h-12 w-full rounded-md border border-line-strong bg-surface px-3.5 py-2.5 text-base text-ink placeholder:text-muted ' +
  'aria-invalid:border-error aria-invalid:bg-error-soft/40 disabled:bg-sunken disabled:text-muted'
