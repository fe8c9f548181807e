/** A pattern of LIKE that finds a text anywhere, whatever characters it has. */
export const likeText = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
