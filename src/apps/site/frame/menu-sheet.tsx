import { X } from 'lucide-react'
import {
  type ReactNode,
  type Ref,
  startTransition,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useState,
} from 'react'
import { useLocation } from 'react-router'
import { whenIdle } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { IconButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Brand } from './brand.tsx'
import { LanguageSelector } from './language-selector.tsx'
import { Menu } from './menu.tsx'
import { onSmallScreen } from './use-sidebar.ts'

export interface SheetHandle {
  toggle: () => void
}

/** The menu of small screens, rendered while the page is idle, so that a slow phone opens it within a frame. */
export function MenuSheet({ ref }: { ref: Ref<SheetHandle> }): ReactNode {
  const t = useTranslations('frame')
  const { pathname } = useLocation()
  /** The page it was opened on; it closes with that page. */
  const [openOn, setOpenOn] = useState<string>()
  const [made, setMade] = useState(false)
  const open = openOn === pathname
  if (openOn !== undefined && !open) setOpenOn(undefined)
  const close = useCallback(() => setOpenOn(undefined), [])

  useImperativeHandle(
    ref,
    () => ({
      toggle: () => {
        setMade(true)
        setOpenOn(open ? undefined : pathname)
      },
    }),
    [open, pathname],
  )
  useEffect(() => (onSmallScreen() ? whenIdle(() => startTransition(() => setMade(true))) : undefined), [])

  const content = useMemo(
    () => (
      <div className="flex h-full flex-col gap-6 overflow-y-auto px-3 py-3">
        <div className="flex items-center justify-between pl-1.5">
          <Brand onFollow={close} />
          <IconButton label={t('close')} onClick={close}>
            <X aria-hidden="true" className="size-5" />
          </IconButton>
        </div>
        <Menu label={t('mainMenu')} onFollow={close} />
        <div className="mt-auto pb-2">
          <LanguageSelector />
        </div>
      </div>
    ),
    [t, close],
  )

  return (
    <Dialog open={open} onClose={close} shape="sheet" title={t('mainMenu')} closeText={t('close')}>
      {made && content}
    </Dialog>
  )
}
