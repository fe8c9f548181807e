import { Autocomplete } from '@base-ui/react/autocomplete'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { LANGUAGES, LANGUAGE_NAMES } from '#shared/languages.ts'
import type { SearchHit } from '#shared/staff-search.ts'
import { Dialog } from '#ui/dialog.tsx'
import { controlClasses } from '#ui/classes.ts'
import { chooseLanguage } from './frame-parts.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { matchesTyped } from '#console-kit/fold.ts'
import { Facts } from '#console-kit/parts.tsx'
import { recordPath } from '#console-kit/record-path.ts'
import { type ActionName, askScreenAction, screenActions } from '#console-kit/screen-actions.ts'
import { ACTIONS, ALL_SCREENS, type ScreenPath } from './navigation.ts'

interface Target {
  title: string
  /** Its screen, or what it does. */
  to: string | (() => void)
  /** Of a record, or of what the screen offers. */
  kind?: SearchHit['kind'] | 'draw' | 'here'
  /** What tells records with one title apart. */
  more?: string
}

/** After the last key press. */
const PAUSE_MS = 200
const SHORTEST = 2
const MOST = 8
const MOST_OF_KIND = 3

/** A record of the search with its screen; a contest with that of its draw, too. */
function targetsOf(hit: SearchHit): Target[] {
  const { kind, title, contest, customer } = hit
  const more = [contest?.title, customer?.name].filter((one) => one !== undefined && one !== title).join(', ')
  const found: Target = { to: recordPath(hit), kind, title, ...(more !== '' && { more }) }
  return kind === 'offer' ? [found, { to: `/draws/${hit.id}`, kind: 'draw', title }] : [found]
}

/** The first results, of no kind so many that they hide the others. */
function firstOf(items: readonly SearchHit[]): SearchHit[] {
  const counts = new Map<string, number>()
  const few = items.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= MOST_OF_KIND
  })
  return few.slice(0, MOST)
}

/** The records that a text finds, a moment after it was typed. */
function useRecords(typed: string, maySearch: boolean): { records: Target[]; isSearching: boolean } {
  const [found, setFound] = useState<{ text: string; records: Target[] }>({ text: '', records: [] })
  const text = typed.trim()
  const isWanted = maySearch && text.length >= SHORTEST
  useEffect(() => {
    if (!isWanted) return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const address = `/api/staff/search/?q=${encodeURIComponent(text)}`
      consoleCall<{ items: SearchHit[] }>('GET', address, { signal: stop.signal }).then(
        ({ items }) => setFound({ text, records: firstOf(items).flatMap(targetsOf) }),
        () => !stop.signal.aborted && setFound({ text, records: [] }),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, isWanted])
  return { records: isWanted ? found.records : [], isSearching: isWanted && found.text !== text }
}

interface PaletteProps {
  onClose: () => void
  onKeys: () => void
  onSignOut: () => void
}

/** Finds every screen, record and action by a few letters. */
export function CommandPalette({ onClose, onKeys, onSignOut }: PaletteProps): ReactNode {
  const t = useTranslations('console')
  const may = useMay()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  // The dialog has focused its first button by then.
  useEffect(() => input.current?.focus(), [])
  const maySearch = may('search.use')
  const { records, isSearching } = useRecords(typed, maySearch)
  const language = useLanguage()
  // What the screen offers while the palette is open.
  const [offered] = useState(screenActions)
  const isOffered = (name: string): boolean => offered.some((one) => 'name' in one && one.name === name)
  const known: Target[] = [
    ...offered.map((one): Target => ({
      to: () => closeAnd(one.run),
      title: 'name' in one ? t(`keys.actions.${one.name}`) : one.label,
      kind: 'here',
    })),
    ...ALL_SCREENS.filter(({ permission }) => may(permission)).map(({ name, to }): Target => ({
      to,
      title: t(`nav.${name}`),
    })),
    ...ACTIONS.filter(({ name, permission }) => may(permission) && !isOffered(name)).map(
      ({ name, to }): Target => ({ to: () => act(name, to), title: t(`keys.actions.${name}`) }),
    ),
    ...LANGUAGES.filter((one) => one !== language).map((one): Target => ({
      to: () => chooseLanguage(one),
      title: t('frame.languageOf', { name: LANGUAGE_NAMES[one] }),
    })),
    { to: onKeys, title: t('keys.title') },
    { to: onSignOut, title: t('frame.signOut') },
  ].filter(({ title }) => matchesTyped(title, typed))
  const all: Target[] =
    maySearch && typed.trim().length >= SHORTEST
      ? [
          {
            to: `/search?q=${encodeURIComponent(typed.trim())}`,
            title: t('keys.searchFor', { text: typed.trim() }),
          },
        ]
      : []
  function closeAnd(run: () => void): void {
    onClose()
    run()
  }
  function act(name: ActionName, to: ScreenPath): void {
    onClose()
    askScreenAction(name, to)
    void navigate(to)
  }
  const go = ({ to }: Target): void => {
    if (typeof to === 'function') return to()
    onClose()
    void navigate(to)
  }
  return (
    <Dialog open onClose={onClose} title={t('nav.search')} closeText={t('common.close')}>
      <Autocomplete.Root
        inline
        open
        items={[...known, ...records, ...all]}
        mode="none"
        value={typed}
        onValueChange={setTyped}
        itemToStringValue={(target: Target) => target.title}
        autoHighlight="always"
      >
        <Autocomplete.Input aria-label={t('frame.palette')} className={controlClasses} ref={input} />
        <div role="status" className="px-3 text-sm text-muted empty:hidden">
          {isSearching && t('keys.searching')}
        </div>
        <Autocomplete.Empty className="px-3 py-2 text-muted empty:hidden">
          {!isSearching && t('keys.noResults')}
        </Autocomplete.Empty>
        <Autocomplete.List className="grid max-h-80 gap-0.5 overflow-y-auto">
          {(target: Target) => (
            <Autocomplete.Item
              key={`${target.kind ?? ''} ${target.title} ${typeof target.to === 'string' ? target.to : ''}`}
              value={target}
              onClick={() => go(target)}
              className="flex min-h-11 cursor-pointer items-center rounded-md px-3 data-highlighted:bg-signal-soft"
            >
              <span className="min-w-0 wrap-anywhere">
                {target.kind && <span className="text-muted">{t(`keys.kinds.${target.kind}`)} </span>}
                {target.title}
                {target.more !== undefined && <span className="text-muted">, {target.more}</span>}
              </span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

/** The keys of the console. */
export function KeyList({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('console')
  return (
    <Dialog open onClose={onClose} title={t('keys.title')} closeText={t('common.close')}>
      <Facts
        facts={[
          ['Ctrl K', t('keys.palette')],
          ['?', t('keys.help')],
          ['j', t('keys.next')],
          ['k', t('keys.previous')],
          ['Enter', t('keys.open')],
        ]}
      />
    </Dialog>
  )
}
