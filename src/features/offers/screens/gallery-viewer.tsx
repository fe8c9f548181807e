import { Minus, Plus, RotateCcw } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import Lightbox, {
  type GenericSlide,
  type SlideImage,
  type ZoomRef,
  useController,
} from 'yet-another-react-lightbox'
import Zoom from 'yet-another-react-lightbox/plugins/zoom'
import 'yet-another-react-lightbox/styles.css'
import './gallery-viewer.css'
import { useTranslations } from '#i18n/translations.tsx'
import { OfferPicture } from './offer-picture.tsx'
import type { ShownPicture } from './pictures.ts'

/** Spec section 9. */
const ZOOM_MIN = 1
const ZOOM_MAX = 8

/** The controls are on the picture, which may be white. */
const DARK = { backgroundColor: 'rgb(0 0 0 / 0.55)' }
const ON_PICTURE = { ...DARK, borderRadius: '8px', padding: '12px 8px' }
const IN_CORNER = { ...DARK, borderRadius: '0 0 0 8px' }

/** The zoom of the library's image slides ends at the picture's pixels. */
interface PictureSlide extends GenericSlide {
  type: 'picture'
  picture: ShownPicture
}

declare module 'yet-another-react-lightbox' {
  interface SlideTypes {
    picture: PictureSlide
  }
}

const isPicture = (slide: PictureSlide | SlideImage): slide is PictureSlide => slide.type === 'picture'

export interface GalleryViewerProps {
  pictures: readonly ShownPicture[]
  index: number
  title: string
  onView: (index: number) => void
  onClose: () => void
}

/** Loaded lazily. */
export function GalleryViewer({ pictures, index, title, onView, onClose }: GalleryViewerProps): ReactNode {
  const t = useTranslations('offers.gallery')
  const zoom = useRef<ZoomRef>(null)
  const [level, setLevel] = useState(ZOOM_MIN)

  return (
    <Lightbox
      open
      index={index}
      close={onClose}
      plugins={[Zoom]}
      slides={pictures.map((picture) => ({ type: 'picture', picture }))}
      zoom={{ ref: zoom, minZoom: ZOOM_MIN, maxZoom: ZOOM_MAX, supports: ['picture'], scrollToZoom: true }}
      on={{ view: ({ index: viewed }) => onView(viewed), zoom: ({ zoom: shown }) => setLevel(shown) }}
      controller={{ closeOnBackdropClick: false, closeOnPullDown: true }}
      carousel={{ finite: pictures.length < 2, preload: 1, padding: 0 }}
      animation={{ fade: 200, swipe: 240, zoom: 200 }}
      styles={{ toolbar: IN_CORNER, navigationPrev: ON_PICTURE, navigationNext: ON_PICTURE }}
      toolbar={{
        buttons: [
          <span key="level" role="status" className="pointer-events-none flex items-center px-2 text-white">
            {t('zoomLevel', { level: `${Number(level.toFixed(1))}×` })}
          </span>,
          'zoom',
          <ResetButton
            key="reset"
            label={t('zoomReset')}
            disabled={level <= ZOOM_MIN}
            onReset={() => zoom.current?.changeZoom(ZOOM_MIN)}
          />,
          'close',
        ],
      }}
      labels={{
        Lightbox: t('viewer', { title }),
        Close: t('close'),
        Next: t('next'),
        Previous: t('previous'),
        'Zoom in': t('zoomIn'),
        'Zoom out': t('zoomOut'),
        'Photo gallery': t('label', { title }),
        Carousel: t('carousel'),
        Slide: t('slideName'),
        '{index} of {total}': t('slide', { index: '{index}', count: '{total}' }),
      }}
      render={{
        iconZoomIn: () => <Plus aria-hidden="true" />,
        iconZoomOut: () => <Minus aria-hidden="true" />,
        ...(pictures.length < 2 && { buttonPrev: () => null, buttonNext: () => null }),
        slide: ({ slide }) =>
          isPicture(slide) && (
            <OfferPicture
              picture={slide.picture}
              sizes="200vw"
              loading="first"
              className="h-full w-full object-contain"
            />
          ),
      }}
    />
  )
}

/** Pressing disables the button, so the viewer takes the focus. */
function ResetButton(props: { label: string; disabled: boolean; onReset: () => void }): ReactNode {
  const { label, disabled, onReset } = props
  const { focus } = useController()
  return (
    <button
      type="button"
      className="yarl__button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={() => {
        onReset()
        focus()
      }}
    >
      <RotateCcw aria-hidden="true" />
    </button>
  )
}
