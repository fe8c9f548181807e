import { describe, expect, it } from 'vitest'
import { shownPictures } from './pictures.ts'

const sized = {
  src: '/media/coupe-front',
  widths: [480, 828, 1600],
  width: 1600,
  height: 1000,
  color: '#333333',
  alt: { fr: 'De face', nl: 'Vooraan', en: 'From the front' },
}

describe('shownPictures', () => {
  it('offers every size in both formats [spec 3.4]', () => {
    const [picture] = shownPictures({ pictures: [sized], image: '/media/other.webp', carousel_images: [] })
    expect(picture).toMatchObject({
      src: '/media/coupe-front-828.webp',
      avif: '/media/coupe-front-480.avif 480w, /media/coupe-front-828.avif 828w, /media/coupe-front-1600.avif 1600w',
      width: 1600,
      height: 1000,
    })
  })

  it('takes plain addresses where there are no sizes, each once [spec 3.4]', () => {
    const plain = {
      pictures: [],
      image: '/a.jpg',
      carousel_images: ['/a.jpg', 'https://pictures.example/b.jpg', ''],
    }
    expect(shownPictures(plain)).toEqual([{ src: '/a.jpg' }, { src: 'https://pictures.example/b.jpg' }])
  })

  it('shows nothing for an offer without pictures', () => {
    expect(shownPictures({ pictures: [], image: null, carousel_images: [] })).toEqual([])
  })

  it('takes the smallest file when all are larger than needed', () => {
    const [picture] = shownPictures({
      pictures: [{ ...sized, widths: [1200] }],
      image: null,
      carousel_images: [],
    })
    expect(picture?.src).toBe('/media/coupe-front-1200.webp')
  })
})
