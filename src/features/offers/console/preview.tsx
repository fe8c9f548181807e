import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { watchSize } from '#ui/watch-size.ts'
import { useSettings } from '#console-kit/console-context.tsx'
import { useRead } from '#console-kit/use-read.ts'
import { Fault } from '#console-kit/parts.tsx'
import { PREVIEW_PAGES, PREVIEW_PATH, type PreviewMessage, type PreviewPage } from '../preview.contract.ts'
import type { OfferPreview, StaffOffer } from '../staff-offers.contract.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

/** Widths of a phone, a tablet and a desk, with heights of their windows. */
const SIZES = { 360: 640, 768: 1024, 1440: 900 } as const
type Width = keyof typeof SIZES
const WIDTHS = [360, 768, 1440] as const satisfies readonly Width[]

/** Narrower places than that scroll sideways: letters stay readable. */
const SMALLEST = 0.5

interface PreviewProps {
  offer: StaffOffer
  /** Whether something is typed that is not stored. */
  isDirty: boolean
}

/**
 * The pages of the shop with what is stored, in each language and at three widths: the shop's own screens in a frame, which
 * gets its data from here and calls nothing (docs/adr/0050-console-as-an-application-of-its-own.md).
 */
export function Preview({ offer, isDirty }: PreviewProps): ReactNode {
  const t = useTranslations('consoleContests.preview')
  const languageOf = useLanguageName()
  const words = useTranslations('consoleContests')
  const [language, setLanguage] = useState<Language>(useLanguage())
  const [width, setWidth] = useState<Width>(360)
  const [page, setPage] = useState<PreviewPage>('offer')
  const { response, error } = useStored(offer)
  const settings = useSettings()
  const message = response && { page, language, settings, stored: response, noSale: t('noSale') }
  const title = t('frame', {
    page: t(`pages.${page}`),
    language: languageOf(language),
    width: t('pixels', { width }),
  })
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-sm text-muted">{t('lead')}</p>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <Choice
          label={t('page')}
          options={PREVIEW_PAGES}
          chosen={page}
          nameOf={(one) => t(`pages.${one}`)}
          onChoose={setPage}
        />
        <Choice
          label={t('language')}
          options={LANGUAGES}
          chosen={language}
          nameOf={(one) => languageOf(one)}
          onChoose={setLanguage}
        />
        <Choice
          label={t('width')}
          options={WIDTHS}
          chosen={width}
          nameOf={(one) => t('pixels', { width: one })}
          onChoose={setWidth}
        />
      </div>
      <div role="status" className="grid gap-3 empty:hidden">
        {isDirty && <Alert tone="warning">{t('stored')}</Alert>}
        {response && response.missing.length > 0 && (
          <Alert>
            {t('missing', { fields: response.missing.map((field) => words(`fields.${field}`)).join(', ') })}
          </Alert>
        )}
      </div>
      <Fault error={error} />
      {message && <ShopFrame title={title} width={width} message={message} />}
    </div>
  )
}

/** Read again after every change of the contest and of its pictures. */
function useStored({ id, version, pictures }: StaffOffer) {
  const state = `${version} ${JSON.stringify(pictures)}`
  const [read, setRead] = useState({ state, count: 0 })
  if (read.state !== state) setRead({ state, count: read.count + 1 })
  return useRead<OfferPreview>(`/api/staff/offers/${id}/preview/`, read.count)
}

interface ShopFrameProps {
  title: string
  width: Width
  message: PreviewMessage
}

function ShopFrame({ title, width, message }: ShopFrameProps): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const [isReady, setReady] = useState(false)
  const [room, setRoom] = useState<number>(width)
  useEffect(() => {
    const listen = ({ origin, source, data }: MessageEvent): void => {
      const isFrame = origin === window.location.origin && source === frame.current?.contentWindow
      if (isFrame && data === PREVIEW_PATH) setReady(true)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  const written = JSON.stringify(message)
  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage(JSON.parse(written), window.location.origin)
  }, [isReady, written])
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    return watchSize(element, () => setRoom(element.clientWidth))
  }, [])
  const height = SIZES[width]
  const scale = Math.min(1, Math.max(SMALLEST, room / width))
  return (
    <div ref={place} className="overflow-x-auto rounded-lg border border-line-strong bg-sunken">
      <div style={{ width: width * scale, height: height * scale }} className="mx-auto overflow-hidden">
        <iframe
          ref={frame}
          src={PREVIEW_PATH}
          title={title}
          width={width}
          height={height}
          style={{ transform: `scale(${scale})` }}
          className="max-w-none origin-top-left bg-ground"
        />
      </div>
    </div>
  )
}

function Choice<Option extends string | number>(props: {
  label: string
  options: readonly Option[]
  chosen: Option
  nameOf: (option: Option) => string
  onChoose: (option: Option) => void
}): ReactNode {
  const { label, options, chosen, nameOf, onChoose } = props
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-2">
      {options.map((option) => (
        <Button
          key={option}
          size="small"
          variant={option === chosen ? 'primary' : 'secondary'}
          aria-pressed={option === chosen}
          onClick={() => onChoose(option)}
        >
          {nameOf(option)}
        </Button>
      ))}
    </div>
  )
}
