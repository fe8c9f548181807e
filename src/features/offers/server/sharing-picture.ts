import sharp from 'sharp'

/** Size that social networks ask for (spec section 2, "Every page"). */
const SIZE = { width: 1200, height: 630 }

/** Largest picture that is read; a photograph of a good camera has 24 million pixels. */
const PIXELS_MAX = 40_000_000
const SECONDS_MAX = 20

/**
 * The picture by which a contest is shared: the middle of one of its own, as JPEG, because many networks read neither
 * AVIF nor WebP.
 * @param file the picture in its largest size
 */
export const composeSharingPicture = (file: string): Promise<Buffer> =>
  sharp(file, { limitInputPixels: PIXELS_MAX })
    .rotate()
    .resize({ ...SIZE, fit: 'cover', kernel: 'lanczos3' })
    .flatten({ background: '#0b0c0d' })
    .jpeg({ quality: 82, mozjpeg: true })
    .timeout({ seconds: SECONDS_MAX })
    .toBuffer()
