import { Check, Circle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import { NEW_PASSWORD_RULES } from '../accounts.rules.ts'

/** What makes a password strong, ticked while typing; advice only, unless all of it is demanded (decisions). */
export function PasswordChecklist({
  password,
  demanded = false,
}: {
  password: string
  demanded?: boolean
}): ReactNode {
  const t = useTranslations('accounts')
  return (
    <div className="@container grid gap-1.5">
      <p>{t(demanded ? 'strength.demanded' : 'strength.title')}</p>
      <ul className="grid gap-x-4 gap-y-1 @sm:grid-cols-2 @sm:*:last:col-span-2">
        {NEW_PASSWORD_RULES.map(({ name, pattern }) => {
          const met = pattern.test(password)
          const Icon = met ? Check : Circle
          return (
            <li key={name} className={classes('flex items-center gap-2', met && 'text-success')}>
              <Icon aria-hidden="true" className="size-4 shrink-0" />
              <span>{t(`strength.${name}`)}</span>
              {met && <span className="sr-only">({t('strength.met')})</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
