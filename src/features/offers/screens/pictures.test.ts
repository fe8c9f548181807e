import { expect, test } from 'vitest'
import { shownPictures } from './pictures.ts'

const sized = {
  src: '/media/coupe-front',
  widths: [480, 828, 1600],
  width: 1600,
  height: 1000,
  color: '#333333',
  alt: { fr: 'De face', nl: 'Vooraan', en: 'From the front' },
}
const none = { pictures: [], image: null, carousel_images: [] }

test('a picture has every size in both formats [spec 3.4]', () => {
  expect(shownPictures({ ...none, pictures: [sized], image: '/media/other.webp' })).toMatchObject([
    {
      src: '/media/coupe-front-828.webp',
      avif: '/media/coupe-front-480.avif 480w, /media/coupe-front-828.avif 828w, /media/coupe-front-1600.avif 1600w',
      width: 1600,
      height: 1000,
    },
  ])
})

test('addresses without sizes are shown as they are, each once [spec 3.4]', () => {
  const carousel_images = ['/a.jpg', 'https://pictures.example/b.jpg', '']
  expect(shownPictures({ ...none, image: '/a.jpg', carousel_images })).toEqual([
    { src: '/a.jpg' },
    { src: 'https://pictures.example/b.jpg' },
  ])
  expect(shownPictures(none)).toEqual([])
})

test('the smallest file serves when all are larger than needed', () => {
  const [picture] = shownPictures({ ...none, pictures: [{ ...sized, widths: [1200] }] })
  expect(picture?.src).toBe('/media/coupe-front-1200.webp')
})
