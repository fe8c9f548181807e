import { Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import type { Policy } from '../policies.contract.ts'
import { PolicyDocument } from './policy-document.tsx'

/** The accessibility statement, with the way to report a barrier. */
export function AccessibilityPage({ statement }: { statement: Policy }): ReactNode {
  const t = useTranslations('policies')
  const report = (
    <AppLink
      to={paths.contact()}
      className={buttonClasses('secondary', 'medium', { className: 'print:hidden' })}
    >
      <Mail aria-hidden="true" className="size-5" />
      {t('reportBarrier')}
    </AppLink>
  )
  return <PolicyDocument policy={statement} action={report} />
}
