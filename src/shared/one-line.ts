/** Text that fits on one line: no control, invisible or unassigned characters and no line separators. */
export const ONE_LINE_PATTERN = /^[^\p{C}\p{Zl}\p{Zp}]*$/u
