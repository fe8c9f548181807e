import { ChevronLeft, ChevronRight, Maximize2 } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { GalleryViewerProps } from './gallery-viewer.tsx'
import { classes } from '#ui/classes.ts'
import { OfferPicture } from './offer-picture.tsx'
import { SLIDE_SIZES, type ShownPicture } from './pictures.ts'

const ROUND =
  'grid size-11 place-items-center rounded-full bg-surface/90 text-ink shadow-card disabled:invisible'

/** As wide as the window on phones, so that picture, price and question share its first screen. */
export const GALLERY =
  'grid grid-cols-1 gap-1 max-md:-mx-[clamp(min(1rem,5vw),4vw,2.5rem)] md:gap-2 print:block'
export const WITH_THUMBNAILS = 'grid-cols-[minmax(0,1fr)_4rem]'

/** Of a page whose picture has at least 60 % of its width on desktops. */
export const PICTURE_COLUMNS =
  'grid grid-cols-1 items-start gap-3 md:gap-6 @4xl:grid-cols-[minmax(0,1fr)_minmax(17.5rem,29%)]'

/** The browser scrolls the slides. */
export function OfferGallery({
  pictures,
  title,
  corner,
}: {
  pictures: readonly ShownPicture[]
  title: string
  corner?: ReactNode
}): ReactNode {
  const t = useTranslations('offers.gallery')
  const track = useRef<HTMLUListElement>(null)
  const [index, setIndex] = useState(0)
  /** `closed`: was open, so the focus returns to the current picture. */
  const [viewer, setViewerState] = useState<'never' | 'open' | 'closed'>('never')
  const [Viewer, setViewer] = useState<ComponentType<GalleryViewerProps>>()
  const count = pictures.length
  useEffect(() => {
    if (viewer === 'closed') track.current?.querySelector<HTMLElement>('li:not([inert]) button')?.focus()
  }, [viewer])
  const above = <div className="absolute top-0 right-0 p-2 print:hidden">{corner}</div>
  if (count === 0) return <div className="relative aspect-[8/5] rounded-lg bg-sunken">{above}</div>

  function show(wanted: number): void {
    const slides = track.current
    slides?.scrollTo({ left: wanted * slides.clientWidth })
  }

  async function enlarge(): Promise<void> {
    try {
      const { GalleryViewer } = await import('./gallery-viewer.tsx')
      setViewer(() => GalleryViewer)
      setViewerState('open')
    } catch {
      toast.error(t('viewerFailed'))
    }
  }

  function onScroll(): void {
    const slides = track.current
    // The slide that fills more than half of the view.
    if (slides) setIndex(Math.min(count - 1, Math.floor(slides.scrollLeft / slides.clientWidth + 0.5)))
  }

  return (
    <section
      aria-label={t('label', { title })}
      aria-roledescription={t('carousel')}
      className={classes(GALLERY, count > 1 && WITH_THUMBNAILS)}
    >
      <div className="relative overflow-hidden bg-sunken md:rounded-lg">
        <ul
          ref={track}
          onScroll={onScroll}
          className="flex snap-x snap-mandatory overflow-x-auto scrollbar-none motion-safe:scroll-smooth"
        >
          {pictures.map((picture, at) => (
            <li
              key={picture.src}
              inert={at !== index}
              aria-label={t('slide', { index: at + 1, count })}
              aria-roledescription={t('slideName')}
              className="aspect-[8/5] w-full shrink-0 snap-center"
            >
              <button
                type="button"
                className="prints block h-full w-full cursor-zoom-in"
                aria-label={t('enlarge', { index: at + 1, count })}
                onClick={() => void enlarge()}
              >
                <OfferPicture picture={picture} sizes={SLIDE_SIZES} loading={at === 0 ? 'first' : 'late'} />
              </button>
            </li>
          ))}
        </ul>
        <span
          className="pointer-events-none absolute right-3 bottom-3 grid size-11 place-items-center rounded-full bg-surface/90 text-ink print:hidden"
          aria-hidden="true"
        >
          <Maximize2 className="size-5" />
        </span>
        {count > 1 && (
          <div className="pointer-events-none absolute inset-x-3 top-1/2 flex -translate-y-1/2 justify-between *:pointer-events-auto">
            {(
              [
                ['previous', ChevronLeft, -1],
                ['next', ChevronRight, 1],
              ] as const
            ).map(([name, Icon, step]) => (
              <button
                key={name}
                type="button"
                className={ROUND}
                aria-label={t(name)}
                disabled={pictures[index + step] === undefined}
                onClick={() => show(index + step)}
              >
                <Icon aria-hidden="true" />
              </button>
            ))}
          </div>
        )}
        {above}
        <p className="sr-only" aria-live="polite">
          {t('slide', { index: index + 1, count })}
        </p>
      </div>
      {count > 1 && (
        <div className="relative print:hidden">
          <GalleryThumbnails pictures={pictures} index={index} onShow={show} />
        </div>
      )}
      {viewer === 'open' && Viewer && (
        <Viewer
          pictures={pictures}
          index={index}
          title={title}
          onView={show}
          onClose={() => setViewerState('closed')}
        />
      )}
    </section>
  )
}

function GalleryThumbnails({
  pictures,
  index,
  onShow,
}: Pick<GalleryViewerProps, 'pictures' | 'index'> & { onShow: (index: number) => void }): ReactNode {
  const t = useTranslations('offers.gallery')
  return (
    <ul className="absolute inset-0 flex flex-col gap-1 overflow-y-auto p-1">
      {pictures.map((picture, at) => (
        <li key={picture.src} className="shrink-0">
          <button
            type="button"
            aria-label={t('show', { index: at + 1 })}
            aria-current={at === index ? 'true' : undefined}
            onClick={() => onShow(at)}
            className="block aspect-[8/5] min-h-11 w-full overflow-hidden rounded-md border-2 border-line hover:border-line-strong aria-current:border-signal"
          >
            <OfferPicture picture={picture} sizes="5rem" alt="" />
          </button>
        </li>
      ))}
    </ul>
  )
}
