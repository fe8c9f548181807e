/** The part of the package that art/fonts.ts uses; it ships no types of its own. */
declare module 'subset-font' {
  type Axis = number | { min: number; max: number; default?: number }
  export default function subsetFont(
    font: Buffer,
    text: string | undefined,
    options: {
      targetFormat: 'woff2' | 'truetype'
      variationAxes?: Record<string, Axis>
      /** Layout features to keep; all when left out. */
      keepFeatures?: string[]
      /** Only packs the font anew; goes without a text. */
      keepAllGlyphs?: boolean
    },
  ): Promise<Buffer>
}
