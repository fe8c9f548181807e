import { ArrowDown, ArrowUp, Camera, Crop as CropIcon, ImagePlus, RotateCw, Trash2, X } from 'lucide-react'
import {
  type ChangeEvent,
  type ComponentType,
  type DragEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { ApiError } from '#client/api-error.ts'
import { ReasonDialog } from '#console-kit/parts.tsx'
import { useMay } from '#console-kit/console-context.tsx'
import { TextField } from '#console-kit/fields.tsx'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { Progress } from '#ui/progress.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { OfferPicture, OfferPictures as StoredPictures, UploadedPicture } from '../pictures.contract.ts'
import {
  ALT_MAX,
  PICTURES_MAX,
  UPLOAD_MAX_BYTES,
  WIDTH_MIN,
  centreOf,
  defaultCrop,
  filesOf,
  missingAlts,
  widthsOf,
} from '../pictures.rules.ts'
import { CroppedPicture } from './cropped-picture.tsx'
import { uploadPicture } from './upload-picture.ts'
import { type SaveState, useOfferPictures } from './use-offer-pictures.ts'
import { byLanguage } from '#shared/text-fields.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

const MEGABYTES_MAX = UPLOAD_MAX_BYTES / (1024 * 1024)
/** What the server can read, and what phones turn into it. */
const ACCEPTED = 'image/jpeg,image/png,image/webp,image/avif,image/heic,image/heif'

const nameOf = (picture: OfferPicture): string => (picture.kind === 'file' ? picture.src : picture.id)

/** A picture as it is added, before anything is said of it. */
function added(uploaded: UploadedPicture): OfferPicture {
  const crop = defaultCrop(uploaded)
  return {
    kind: 'uploaded',
    ...uploaded,
    crop,
    focal: centreOf(crop),
    alt: byLanguage(() => ''),
    work: { state: 'queued', made: 0, files: filesOf(widthsOf(crop)), failure: null },
  }
}

/**
 * The pictures of a contest: uploaded, ordered, cut and described. Every change is stored at once.
 * @param isEntered people have entered: a second person is asked for all changes together
 * @param onStored after each change, also of a picture's preparation
 */
export function OfferPictures({
  offerId,
  isEntered,
  onStored,
}: {
  offerId: number
  isEntered: boolean
  onStored?: () => void
}): ReactNode {
  const t = useTranslations('consolePictures')
  const mayEdit = useMay()('offers.edit')
  const stored = useOfferPictures(offerId, isEntered)
  const { pictures, state, error, theirs, change } = stored
  const [notice, setNotice] = useState<{ text: string; undo?: () => void }>()
  const [cropped, setCropped] = useState<string>()
  const list = useRef<HTMLOListElement>(null)
  /** When the pictures of this visit were chosen, by name: 1 for the first. */
  const turns = useRef(new Map<string, number>())
  const isStored = state === 'saved' && pictures !== undefined
  useEffect(() => {
    if (isStored) onStored?.()
  }, [isStored, pictures, onStored])

  if (!pictures && error === undefined)
    return (
      <LoadingRegion text={t('loading')} className="grid gap-4">
        <Skeleton className="h-40" />
        <Skeleton className="h-40" />
      </LoadingRegion>
    )
  if (!pictures)
    return (
      <div role="alert">
        <Alert
          tone="error"
          title={t('failed')}
          actions={
            <Button size="small" variant="secondary" onClick={() => void stored.load()}>
              {t('retry')}
            </Button>
          }
        >
          {error}
        </Alert>
      </div>
    )

  const add = (uploaded: UploadedPicture, turn: number): string | undefined => {
    const present = stored.now()
    if (present.some((one) => nameOf(one) === uploaded.id)) return t('upload.known')
    if (present.length >= PICTURES_MAX) return t('upload.tooMany', { most: PICTURES_MAX })
    const { current: known } = turns
    known.set(uploaded.id, turn)
    // A small file overtakes a large one that was chosen before it.
    change((all) => {
      const next = all.findIndex((one) => (known.get(nameOf(one)) ?? 0) > turn)
      return all.toSpliced(next < 0 ? all.length : next, 0, added(uploaded))
    })
    return undefined
  }
  const move = (from: number, to: number): void => {
    change((all) => all.toSpliced(from, 1).toSpliced(to, 0, all[from] as OfferPicture))
    setNotice({ text: t('item.moved', { place: to + 1, count: pictures.length }) })
    keepFocus(list, to, to < from ? 'up' : 'down')
  }
  const remove = (index: number): void => {
    const removed = pictures[index] as OfferPicture
    change((all) => all.toSpliced(index, 1))
    setNotice({
      text: t('item.removed', { place: index + 1 }),
      undo: () => {
        change((all) => all.toSpliced(index, 0, removed))
        setNotice(undefined)
      },
    })
  }
  const alter = (name: string, values: Partial<OfferPicture>, isPassing = false): void =>
    change(
      (all) => all.map((one) => (nameOf(one) === name ? ({ ...one, ...values } as OfferPicture) : one)),
      isPassing,
    )

  const missing = pictures.reduce((sum, { alt }) => sum + missingAlts(alt).length, 0)
  const place = pictures.findIndex((one) => nameOf(one) === cropped)
  const toCrop = pictures[place]
  return (
    <div className="grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <span className="font-semibold">{t('count', { count: pictures.length })}</span>
        {pictures.length > 0 && (
          <Badge tone={missing > 0 ? 'warning' : 'success'}>{t('missing', { count: missing })}</Badge>
        )}
        {mayEdit && <Saved state={state} />}
      </div>
      {isEntered && state === 'unsaved' && <Gathered stored={stored} />}
      <div role="alert" className="grid gap-3 empty:hidden">
        {theirs && <Conflict theirs={theirs} onChoose={stored.settle} />}
        {error !== undefined && (
          <Alert
            tone="error"
            actions={
              <Button
                size="small"
                variant="secondary"
                onClick={() => void (state === 'failed' ? stored.save() : stored.load())}
              >
                {t('retry')}
              </Button>
            }
          >
            {error}
          </Alert>
        )}
      </div>
      {mayEdit && (
        <Uploads onUploaded={add} room={PICTURES_MAX - pictures.length} onSignedOut={stored.load} />
      )}
      <div role="status" className="empty:hidden">
        {notice && (
          <span className="flex flex-wrap items-center gap-3 text-sm">
            {notice.text}
            {notice.undo && (
              <Button size="small" variant="secondary" onClick={notice.undo}>
                {t('item.undo')}
              </Button>
            )}
          </span>
        )}
      </div>
      {pictures.length === 0 ? (
        <p className="text-muted">{t('empty')}</p>
      ) : (
        <ol ref={list} className="grid grid-cols-1 gap-4">
          {pictures.map((picture, index) => (
            <Item
              key={nameOf(picture)}
              picture={picture}
              index={index}
              count={pictures.length}
              mayEdit={mayEdit}
              onMove={move}
              onRemove={() => remove(index)}
              onCrop={() => setCropped(nameOf(picture))}
              onRetry={() => alter(nameOf(picture), {})}
              onDescribe={(alt) => alter(nameOf(picture), { alt }, true)}
              onDescribed={() => void stored.save()}
            />
          ))}
        </ol>
      )}
      {toCrop?.kind === 'uploaded' && (
        <LazyCropDialog
          key={toCrop.id}
          picture={toCrop}
          place={place + 1}
          onClose={() => setCropped(undefined)}
          onApply={(crop, focal) => {
            setCropped(undefined)
            const work = { ...toCrop.work, state: 'queued', made: 0, files: filesOf(widthsOf(crop)) } as const
            alter(toCrop.id, { crop, focal, work })
          }}
        />
      )}
    </div>
  )
}

/** The button that was pressed moved with its picture; at an end of the list the other one takes over. */
function keepFocus(list: { current: HTMLElement | null }, index: number, name: 'up' | 'down'): void {
  setTimeout(() => {
    const item = list.current?.children[index]
    const button = item?.querySelector<HTMLButtonElement>(`[data-move="${name}"]`)
    const other = item?.querySelector<HTMLButtonElement>('[data-move]:not(:disabled)')
    ;(button?.disabled ? other : button)?.focus()
  })
}

function Gathered({ stored }: { stored: ReturnType<typeof useOfferPictures> }): ReactNode {
  const t = useTranslations('console.change')
  const [isAsking, setAsking] = useState(false)
  return (
    <Alert
      tone="warning"
      actions={
        <>
          <Button size="small" onClick={() => setAsking(true)}>
            {t('ask')}
          </Button>
          <Button size="small" variant="secondary" onClick={() => void stored.discard()}>
            {t('discard')}
          </Button>
        </>
      }
    >
      {t('gathered')}
      <ReasonDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t('ask')}
        text={t('askText')}
        confirm={t('ask')}
        act={stored.ask}
        done={t('asked')}
      />
    </Alert>
  )
}

function Saved({ state }: { state: SaveState }): ReactNode {
  const t = useTranslations('consolePictures.status')
  return (
    <span role="status" className={state === 'saved' ? 'text-muted' : 'font-semibold'}>
      {t(state === 'failed' ? 'unsaved' : state)}
    </span>
  )
}

function Conflict({
  theirs,
  onChoose,
}: {
  theirs: StoredPictures
  onChoose: (choice: 'mine' | 'theirs') => void
}): ReactNode {
  const t = useTranslations('consolePictures.conflict')
  return (
    <Alert
      tone="warning"
      title={t('title')}
      actions={
        <>
          <Button size="small" onClick={() => onChoose('mine')}>
            {t('keepMine')}
          </Button>
          <Button size="small" variant="secondary" onClick={() => onChoose('theirs')}>
            {t('takeTheirs')}
          </Button>
        </>
      }
    >
      <p>{t('text')}</p>
      <p className="mt-2 font-semibold">{t('theirs', { count: theirs.pictures.length })}</p>
      <ol className="mt-2 flex flex-wrap gap-2">
        {theirs.pictures.map((picture) => (
          <li key={nameOf(picture)} className="w-24">
            <Thumbnail picture={picture} />
            <span className="text-xs wrap-anywhere">{picture.alt.fr}</span>
          </li>
        ))}
      </ol>
    </Alert>
  )
}

const Thumbnail = ({ picture }: { picture: OfferPicture }): ReactNode =>
  picture.kind === 'uploaded' ? (
    <CroppedPicture src={picture.preview} size={picture} part={picture.crop} />
  ) : (
    <img src={picture.preview} alt="" className="aspect-[8/5] w-full rounded-md object-cover" />
  )

interface ItemProps {
  picture: OfferPicture
  index: number
  count: number
  mayEdit: boolean
  onMove: (from: number, to: number) => void
  onRemove: () => void
  onCrop: () => void
  onRetry: () => void
  onDescribe: (alt: OfferPicture['alt']) => void
  onDescribed: () => void
}

function Item(props: ItemProps): ReactNode {
  const { picture, index, count, mayEdit, onMove, onRemove, onCrop, onRetry, onDescribe, onDescribed } = props
  const t = useTranslations('consolePictures')
  const languageOf = useLanguageName()
  const place = index + 1
  const missing = missingAlts(picture.alt)
  return (
    <li className="grid grid-cols-1 gap-4 rounded-lg border border-line p-3 sm:p-4 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <div className="grid content-start gap-3">
        <p className="flex flex-wrap items-center gap-2 font-semibold">
          {t('item.name', { place })}
          {index === 0 && <Badge tone="signal">{t('item.cover')}</Badge>}
        </p>
        <Thumbnail picture={picture} />
        {picture.kind === 'file' ? (
          <p className="text-sm text-muted">{t('item.file')}</p>
        ) : (
          <Work work={picture.work} onRetry={mayEdit ? onRetry : undefined} />
        )}
        {mayEdit && (
          <div className="flex flex-wrap items-center gap-1">
            <IconButton
              label={t('item.up', { place })}
              data-move="up"
              disabled={index === 0}
              onClick={() => onMove(index, index - 1)}
            >
              <ArrowUp aria-hidden="true" className="size-5" />
            </IconButton>
            <IconButton
              label={t('item.down', { place })}
              data-move="down"
              disabled={place === count}
              onClick={() => onMove(index, index + 1)}
            >
              <ArrowDown aria-hidden="true" className="size-5" />
            </IconButton>
            {picture.kind === 'uploaded' && (
              <IconButton label={t('item.editNamed', { place })} onClick={onCrop}>
                <CropIcon aria-hidden="true" className="size-5" />
              </IconButton>
            )}
            <IconButton label={t('item.removeNamed', { place })} className="ml-auto" onClick={onRemove}>
              <Trash2 aria-hidden="true" className="size-5" />
            </IconButton>
          </div>
        )}
      </div>
      <fieldset className="grid content-start gap-3">
        <legend className="mb-1 text-sm font-semibold">{t('alt.legend', { place })}</legend>
        <p className="text-sm text-muted">{t('alt.hint')}</p>
        <div className="grid gap-3 xl:grid-cols-3">
          {LANGUAGES.map((language) => (
            <TextField
              key={language}
              label={languageOf(language)}
              {...(missing.includes(language) && { mark: t('alt.missing') })}
              lang={language}
              value={picture.alt[language]}
              maxLength={ALT_MAX}
              readOnly={!mayEdit}
              onBlur={onDescribed}
              onChange={({ target }) => onDescribe({ ...picture.alt, [language]: target.value })}
            />
          ))}
        </div>
      </fieldset>
    </li>
  )
}

function Work({
  work: { state, made, files, failure },
  onRetry,
}: {
  work: Extract<OfferPicture, { kind: 'uploaded' }>['work']
  onRetry: (() => void) | undefined
}): ReactNode {
  const t = useTranslations('consolePictures')
  if (state === 'done')
    return (
      <p>
        <Badge tone="success">{t('work.done')}</Badge>
      </p>
    )
  if (state === 'failed')
    return (
      <div role="alert">
        <Alert
          tone="error"
          actions={
            onRetry && (
              <Button size="small" variant="secondary" onClick={onRetry}>
                {t('retry')}
              </Button>
            )
          }
        >
          {t(`work.failed.${failure ?? 'unreadable'}`)}
        </Alert>
      </div>
    )
  const label = t(state === 'queued' ? 'work.queued' : 'work.working', { made, files })
  return (
    <div className="grid gap-1 text-sm">
      <span>{label}</span>
      <Progress value={made} total={files} label={label} />
    </div>
  )
}

interface Sending {
  key: number
  file: File
  /** Address of the picture in this browser. */
  address: string
  /** Share that is sent; null before its turn. */
  share: number | null
  error?: string
  /** Whether another attempt may succeed. */
  isWorthRetrying?: boolean
}

/** Pictures that are sent at the same time. */
const PARALLEL = 2

interface UploadsProps {
  /** @param turn of the file among those that were chosen @returns why it is not added */
  onUploaded: (uploaded: UploadedPicture, turn: number) => string | undefined
  room: number
  /** A call that leads to the sign-in when the session has ended. */
  onSignedOut: () => Promise<void>
}

/** Pictures that are chosen, dropped, pasted or taken, on their way to the server. */
function Uploads({ onUploaded, room, onSignedOut }: UploadsProps): ReactNode {
  const t = useTranslations('consolePictures')
  const language = useLanguage()
  const [sending, setSending] = useState<Sending[]>([])
  const [said, setSaid] = useState('')
  const [isOver, setOver] = useState(false)
  const running = useRef(new Map<number, AbortController>())
  const lastKey = useRef(0)
  const latest = useRef({ onUploaded, add })
  useEffect(() => {
    latest.current = { onUploaded, add }
  })

  function add(files: readonly File[]): void {
    const next = files.map((file, index): Sending => {
      const base = { key: (lastKey.current += 1), file, address: URL.createObjectURL(file), share: null }
      if (file.size > UPLOAD_MAX_BYTES)
        return { ...base, error: t('upload.tooLarge', { megabytes: MEGABYTES_MAX }) }
      return index < room ? base : { ...base, error: t('upload.tooMany', { most: PICTURES_MAX }) }
    })
    setSending((all) => [...all, ...next])
  }
  const update = (key: number, values: Partial<Sending>): void =>
    setSending((all) => all.map((one) => (one.key === key ? { ...one, ...values } : one)))
  const drop = (key: number): void => {
    running.current.get(key)?.abort()
    setSending((all) => {
      const found = all.find((one) => one.key === key)
      if (found) URL.revokeObjectURL(found.address)
      return all.filter((one) => one.key !== key)
    })
  }

  async function send({ key, file }: Sending): Promise<void> {
    const stopping = new AbortController()
    running.current.set(key, stopping)
    update(key, { share: 0 })
    try {
      const uploaded = await uploadPicture(file, {
        language,
        texts: {
          network: t('upload.network'),
          tooSlow: t('upload.tooSlow'),
          unexpected: t('work.failed.unreadable'),
        },
        onProgress: (share) => update(key, { share }),
        signal: stopping.signal,
      })
      const reason = latest.current.onUploaded(uploaded, key)
      if (reason !== undefined) return update(key, { error: reason })
      setSaid(t('upload.done', { name: file.name }))
      drop(key)
    } catch (failure) {
      const known = failure instanceof ApiError ? failure : undefined
      const isWorthRetrying = !known || !isFinal(known.status)
      update(key, { error: known?.message ?? t('work.failed.unreadable'), isWorthRetrying })
      if (known?.status === 401) void onSignedOut()
    } finally {
      running.current.delete(key)
    }
  }

  useEffect(() => {
    const waiting = sending.filter(({ share, error }) => share === null && error === undefined)
    for (const one of waiting.slice(0, Math.max(0, PARALLEL - running.current.size))) void send(one)
  })

  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent): void => {
      const files = picturesOf(clipboardData)
      if (files.length > 0) latest.current.add(files)
    }
    // A file that is dropped beside the field would replace the page.
    const keepPage = (event: Event): void => event.preventDefault()
    const all = running.current
    window.addEventListener('paste', onPaste)
    window.addEventListener('dragover', keepPage)
    window.addEventListener('drop', keepPage)
    return () => {
      window.removeEventListener('paste', onPaste)
      window.removeEventListener('dragover', keepPage)
      window.removeEventListener('drop', keepPage)
      for (const one of all.values()) one.abort()
    }
  }, [])

  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    add([...event.dataTransfer.files])
  }
  return (
    <div className="grid gap-3">
      <div
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={classes(
          'grid grid-cols-1 justify-items-start gap-3 rounded-lg border-2 border-dashed p-2 sm:p-4',
          isOver ? 'border-signal bg-signal-soft' : 'border-line-strong',
        )}
      >
        <p>{t('add.drop')}</p>
        <div className="flex flex-wrap gap-3">
          <FileButton label={t('add.choose')} icon={ImagePlus} multiple onChosen={add} />
          <FileButton label={t('add.camera')} icon={Camera} capture="environment" onChosen={add} />
        </div>
        <p className="text-sm text-muted">{t('add.hint', { megabytes: MEGABYTES_MAX, least: WIDTH_MIN })}</p>
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
      {sending.length > 0 && (
        <ul aria-label={t('upload.list')} className="grid gap-2">
          {sending.map((one) => (
            <li key={one.key} className="grid grid-cols-[4rem_minmax(0,1fr)_auto] items-center gap-3">
              <img
                src={one.address}
                alt=""
                className="aspect-[8/5] w-16 rounded-sm bg-sunken object-cover"
                // What is no picture has no preview.
                onError={({ currentTarget }) => currentTarget.removeAttribute('src')}
              />
              <UploadState {...one} />
              <span className="flex">
                {one.isWorthRetrying && (
                  <IconButton
                    label={t('upload.retry', { name: one.file.name })}
                    onClick={() =>
                      setSending((all) => all.map((other) => (other.key === one.key ? anew(one) : other)))
                    }
                  >
                    <RotateCw aria-hidden="true" className="size-5" />
                  </IconButton>
                )}
                <IconButton
                  label={t('upload.dismiss', { name: one.file.name })}
                  onClick={() => drop(one.key)}
                >
                  <X aria-hidden="true" className="size-5" />
                </IconButton>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The file itself was refused. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && status !== 401 && status !== 408

const anew = ({ key, file, address }: Sending): Sending => ({ key, file, address, share: null })

const picturesOf = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))

function UploadState({ file: { name }, share, error }: Sending): ReactNode {
  const t = useTranslations('consolePictures.upload')
  if (error !== undefined)
    return (
      <p role="alert" className="text-sm text-error wrap-anywhere">
        {t('failed', { name, reason: error })}
      </p>
    )
  const percent = Math.floor((share ?? 0) * 100)
  const text =
    share === null
      ? t('waiting', { name })
      : percent < 100
        ? t('sending', { name, percent })
        : t('checking', { name })
  return (
    <div className="grid gap-1 text-sm wrap-anywhere">
      <span>{text}</span>
      <Progress value={percent} total={100} label={text} />
    </div>
  )
}

interface FileButtonProps {
  label: string
  icon: typeof Camera
  multiple?: boolean
  capture?: 'environment'
  onChosen: (files: readonly File[]) => void
}

/** The browser's file field behind a button of ours. */
function FileButton({ label, icon: Icon, onChosen, ...field }: FileButtonProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    onChosen([...(target.files ?? [])])
    // The same file may be chosen again.
    target.value = ''
  }
  return (
    <>
      <Button variant="secondary" onClick={() => input.current?.click()}>
        <Icon aria-hidden="true" className="size-5" />
        {label}
      </Button>
      <input
        {...field}
        ref={input}
        id={id}
        type="file"
        accept={ACCEPTED}
        aria-label={label}
        hidden
        onChange={choose}
      />
    </>
  )
}

type CropDialogProps = Parameters<typeof import('./crop-dialog.tsx').CropDialog>[0]

/** Loaded when a picture is cut for the first time. */
function LazyCropDialog(props: CropDialogProps): ReactNode {
  const [Shown, setShown] = useState<ComponentType<CropDialogProps>>()
  useEffect(() => {
    void import('./crop-dialog.tsx').then(({ CropDialog }) => setShown(() => CropDialog))
  }, [])
  return Shown ? <Shown {...props} /> : null
}
