import { FileText, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import type { Policy } from '../policies.contract.ts'
import { PolicyDocument } from './policy-document.tsx'

/** Spec section 2, "Rules page". */
export function TermsPage({ policy }: { policy: Policy }): ReactNode {
  const t = useTranslations('policies')
  const language = useLanguage()
  const pdf = (
    <a
      href={paths.termsPdf(language)}
      target="_blank"
      rel="noopener"
      className={buttonClasses('secondary', 'medium', { className: 'print:hidden' })}
    >
      <FileText aria-hidden="true" className="size-5" />
      {t('pdf')}
      <span className="sr-only"> ({t('newTab')})</span>
    </a>
  )
  return (
    <PolicyDocument policy={policy} action={pdf}>
      <p className="border-t border-line pt-6 print:hidden">
        <AppLink to={paths.accessibility()} className="prose-link inline-block py-1">
          {t('accessibility')}
        </AppLink>
      </p>
    </PolicyDocument>
  )
}

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
