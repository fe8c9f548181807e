import { Autocomplete } from '@base-ui/react/autocomplete'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { controlClasses } from '#ui/classes.ts'
import { useMay } from './kit/console-context.tsx'
import { Facts } from './kit/parts.tsx'
import { NAVIGATION } from './navigation.ts'

interface Target {
  to: string
  title: string
}

/** Finds every screen and record by a few letters. */
export function CommandPalette({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('console')
  const may = useMay()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const input = useRef<HTMLInputElement>(null)
  // The dialog has focused its first button by then.
  useEffect(() => input.current?.focus(), [])
  const screens: Target[] = NAVIGATION.filter(({ permission }) => may(permission)).map(({ name, to }) => ({
    to,
    title: t(`nav.${name}`),
  }))
  const go = (to: string): void => {
    onClose()
    void navigate(to)
  }
  return (
    <Dialog open onClose={onClose} title={t('frame.palette')} closeText={t('common.close')}>
      <Autocomplete.Root
        inline
        open
        items={screens}
        value={typed}
        onValueChange={setTyped}
        itemToStringValue={(target: Target) => target.title}
        autoHighlight="always"
      >
        <Autocomplete.Input aria-label={t('frame.palette')} className={controlClasses} ref={input} />
        <Autocomplete.Empty className="px-3 py-2 text-muted empty:hidden">
          {t('keys.noResults')}
        </Autocomplete.Empty>
        <Autocomplete.List className="grid max-h-80 gap-0.5 overflow-y-auto">
          {(target: Target) => (
            <Autocomplete.Item
              key={target.to}
              value={target}
              onClick={() => go(target.to)}
              className="flex min-h-11 cursor-pointer items-center rounded-md px-3 data-highlighted:bg-signal-soft"
            >
              {target.title}
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
