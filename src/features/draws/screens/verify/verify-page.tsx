import { FileCode, FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import type { Verifiers } from '../../verifiers.contract.ts'
import { evidenceOf } from '../../public-draws.rules.ts'
import { WatchLate } from '../watch-late.tsx'
import { useEmailedLink } from './emailed-link.ts'
import { openShopWorker } from './shop-worker.ts'
import { Verify, withSentences } from './verify.tsx'

const openWorker = withSentences(openShopWorker)

/**
 * Checks the files of any draw, or of the one that an e-mail's link names, at once; below it the programs that do so without
 * this site.
 */
export function VerifyPage({ verifiers }: { verifiers: Verifiers }): ReactNode {
  const t = useTranslations('verify')
  const { contest, hash, emailed, isMalformed } = useEmailedLink()
  const { contactEmail } = useSettings()
  return (
    <div className="page-width grid max-w-4xl grid-cols-1 gap-10 py-8 sm:py-12">
      <PageHeader title={t('page.title')} lead={emailed ? undefined : t('page.lead')} />
      {isMalformed && <Alert tone="error">{t('compared.malformed')}</Alert>}
      <Verify
        // Another link is another check.
        key={`${contest} ${hash}`}
        openWorker={openWorker}
        program={verifiers.program?.path}
        contact={contactEmail}
        {...(contest !== undefined && {
          evidence: evidenceOf({ contest: { slug: contest }, rehearsal: null }),
        })}
        {...(emailed && { emailed, isAsked: true })}
      />
      <OtherVerifiers verifiers={verifiers} />
      <WatchLate contest={contest} />
    </div>
  )
}

/** The saved page and the Python program, each with its hash. */
export function OtherVerifiers({ verifiers }: { verifiers: Verifiers }): ReactNode {
  const t = useTranslations('verify')
  return (
    <section aria-labelledby="other-verifiers" className="grid grid-cols-1 gap-6">
      <h2 id="other-verifiers" className="text-title">
        {t('page.others')}
      </h2>
      {verifiers.page && (
        <VerifierLink
          file={verifiers.page}
          icon={<FileText aria-hidden="true" className="size-5 shrink-0" />}
          title={t('page.offline')}
          text={t('page.offlineText')}
        />
      )}
      {verifiers.program && (
        <VerifierLink
          file={verifiers.program}
          icon={<FileCode aria-hidden="true" className="size-5 shrink-0" />}
          title={t('page.python')}
          text={t('without.text')}
        />
      )}
      {verifiers.protocol && (
        <VerifierLink
          file={verifiers.protocol}
          icon={<FileText aria-hidden="true" className="size-5 shrink-0" />}
          title={t('page.protocol')}
          text={t('page.protocolText')}
        />
      )}
    </section>
  )
}

interface VerifierLinkProps {
  file: NonNullable<Verifiers['page']>
  icon: ReactNode
  title: string
  text: string
}

function VerifierLink({ file, icon, title, text }: VerifierLinkProps): ReactNode {
  const t = useTranslations('verify.page')
  const name = file.path.slice(1)
  return (
    <div className="grid grid-cols-1 justify-items-start gap-2">
      <h3 className="text-lg">{title}</h3>
      <p className="max-w-[68ch]">{text}</p>
      <a href={file.path} download={name} className={buttonClasses('secondary')}>
        {icon}
        {name}
      </a>
      <p className="font-mono text-xs wrap-anywhere text-muted">{t('hash', { hash: file.sha256 })}</p>
    </div>
  )
}
