const NO_BREAK = '\u00a0'

/**
 * Makes the spaces unbreakable at which no line may end: before French high punctuation and inside quotation marks,
 * between groups of digits, and between a figure and its unit or currency.
 */
export const unbroken = (text: string): string =>
  text
    .replaceAll(/ (?=[:;?!»])|(?<=\d) (?=[%€])/g, NO_BREAK)
    .replaceAll(/(?<=[«€]) /g, NO_BREAK)
    .replaceAll(/(?<=\d) (?=\d{3}(?!\d))/g, NO_BREAK)
    .replaceAll(
      /(?<=\d) (?=(?:km|kWh|kW|kg|ch|pk|hp|Nm|cm|mm|m|tpm|tr|rpm|l|h|pm|am|uur|°C)(?![\p{L}\d]))/gu,
      NO_BREAK,
    )
