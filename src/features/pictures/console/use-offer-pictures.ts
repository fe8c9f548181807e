import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '#client/api-error.ts'
import { consoleCall } from '#console-kit/console-call.ts'
import { useTranslations } from '#i18n/translations.tsx'
import type { OfferPicture, OfferPictures, OfferPicturesBody } from '../pictures.contract.ts'

const POLL_MS = 2_000

/** Everything is stored, is being stored, waits for a field to be left, or could not be stored. */
export type SaveState = 'saved' | 'saving' | 'unsaved' | 'failed'

interface Latest {
  version: number
  pictures: OfferPicture[]
  isDirty: boolean
  isSaving: boolean
  /** Nothing is stored until somebody has chosen. */
  isInConflict: boolean
}

const toBody = (version: number, pictures: readonly OfferPicture[]): OfferPicturesBody => ({
  version,
  pictures: pictures.map((one) =>
    one.kind === 'file'
      ? { kind: 'file', src: one.src, alt: one.alt }
      : { kind: 'uploaded', id: one.id, crop: one.crop, focal: one.focal, alt: one.alt },
  ),
})

const isUnderWay = (one: OfferPicture): boolean =>
  one.kind === 'uploaded' && (one.work.state === 'queued' || one.work.state === 'working')

/**
 * The pictures of an offer. A change is stored at once; changes that come meanwhile follow in one call.
 * @param isGathered changes are kept here until a second person is asked for them
 */
export function useOfferPictures(offerId: number, isGathered: boolean) {
  // A translator is another one whenever messages are loaded, such as for the next screen.
  const unexpected = useTranslations('console.common')('unexpected')
  const address = `/api/staff/offers/${offerId}/pictures/`
  const [pictures, setPictures] = useState<OfferPicture[]>()
  const [state, setState] = useState<SaveState>('saved')
  const [error, setError] = useState<string>()
  /** What somebody else has stored since. */
  const [theirs, setTheirs] = useState<OfferPictures>()
  const latest = useRef<Latest>({
    version: 0,
    pictures: [],
    isDirty: false,
    isSaving: false,
    isInConflict: false,
  })

  const show = useCallback((next: OfferPicture[]): void => {
    latest.current.pictures = next
    setPictures(next)
  }, [])
  const take = useCallback(
    (stored: OfferPictures): void => {
      latest.current.version = stored.version
      show(stored.pictures)
    },
    [show],
  )
  const messageOf = useCallback(
    (failure: unknown): string => (failure instanceof ApiError ? failure.message : unexpected),
    [unexpected],
  )

  const load = useCallback(async (): Promise<void> => {
    try {
      const stored = await consoleCall<OfferPictures>('GET', address)
      const { isDirty, isSaving, version } = latest.current
      // A response that was under way while something was stored is older than what is shown.
      if (isDirty || isSaving || stored.version < version) return
      take(stored)
      setError(undefined)
    } catch (failure) {
      setError(messageOf(failure))
    }
  }, [address, take, messageOf])

  const save = useCallback(async (): Promise<void> => {
    const now = latest.current
    if (isGathered || now.isSaving || now.isInConflict || !now.isDirty) return
    now.isSaving = true
    setState('saving')
    setError(undefined)
    try {
      while (now.isDirty) {
        now.isDirty = false
        const sent = now.pictures
        const stored = await consoleCall<OfferPictures>('PUT', address, { body: toBody(now.version, sent) })
        now.version = stored.version
        // Whoever types on keeps the words.
        if (now.pictures === sent) show(stored.pictures)
      }
      setState('saved')
    } catch (failure) {
      now.isDirty = true
      setState('failed')
      const current = failure instanceof ApiError && failure.status === 409 && failure.body
      now.isInConflict = Boolean(current)
      if (current) setTheirs((current as { current: OfferPictures }).current)
      else setError(messageOf(failure))
    } finally {
      now.isSaving = false
    }
  }, [address, isGathered, show, messageOf])

  useEffect(() => {
    const timer = setTimeout(() => void load())
    return () => clearTimeout(timer)
  }, [load])

  const isWorking = pictures?.some(isUnderWay) ?? false
  useEffect(() => {
    if (!isWorking) return undefined
    const timer = setInterval(() => void load(), POLL_MS)
    return () => clearInterval(timer)
  }, [isWorking, load])

  // A page that is left would lose what is not stored.
  useEffect(() => {
    if (state === 'saved') return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [state])

  /** @param isPassing true while somebody types: it is stored when the field is left */
  function change(alter: (pictures: OfferPicture[]) => OfferPicture[], isPassing = false): void {
    show(alter(latest.current.pictures))
    latest.current.isDirty = true
    if (isPassing || isGathered) setState('unsaved')
    else void save()
  }

  function settle(choice: 'mine' | 'theirs'): void {
    if (!theirs) return
    setTheirs(undefined)
    latest.current.isInConflict = false
    if (choice === 'mine') latest.current.version = theirs.version
    else {
      latest.current.isDirty = false
      take(theirs)
      setState('saved')
    }
    void save()
  }

  /** Shows what is stored. */
  async function discard(): Promise<void> {
    latest.current.isDirty = false
    latest.current.isInConflict = false
    setTheirs(undefined)
    await load()
    setState('saved')
  }

  /** Asks a second person for what is shown; then what is stored is shown. @throws what the server refuses */
  async function ask(reason: string): Promise<void> {
    const { version, pictures: sent } = latest.current
    await consoleCall('PUT', address, { body: { ...toBody(version, sent), reason } })
    await discard()
  }

  return {
    ask,
    discard,
    pictures,
    state,
    error,
    theirs,
    load,
    save,
    change,
    settle,
    now: () => latest.current.pictures,
  }
}
