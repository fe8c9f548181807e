import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import type { Policy, PolicyBlock } from '../policies.contract.ts'
import { inlineParts, numbered } from '../policies.rules.ts'

/** The rules and legal page (spec section 2, "Rules page"). */
export function TermsPage({ policy }: { policy: Policy }): ReactNode {
  const t = useTranslations('policies')
  const language = useLanguage()
  return (
    <div className="page-width grid gap-8 py-8 sm:gap-10 sm:py-12 print:py-0">
      <PageHeader
        title={policy.title}
        lead={policy.lead}
        actions={
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
        }
      />
      <div className="grid gap-8 lg:grid-cols-[17rem_minmax(0,1fr)] lg:gap-14 print:block">
        <Contents policy={policy} />
        <div className="grid max-w-[68ch] gap-12 print:max-w-none print:gap-8">
          <p className="text-sm text-muted">{t('updated', { date: policy.updated })}</p>
          {policy.sections.map(({ id, title, blocks }, index) => (
            <section key={id} aria-labelledby={id} className="grid gap-4">
              <h2 id={id} className="scroll-mt-24 text-title">
                {numbered(index, title)}
              </h2>
              {blocks.map((block, position) => (
                <Block key={position} block={block} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </div>
  )
}

function Contents({ policy }: { policy: Policy }): ReactNode {
  const t = useTranslations('policies')
  return (
    <nav
      aria-labelledby="contents"
      className="self-start rounded-lg border border-line bg-surface p-5 lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto print:hidden"
    >
      <h2 id="contents" className="font-text text-sm font-semibold tracking-normal text-muted">
        {t('contents')}
      </h2>
      <ol className="mt-2 grid">
        {policy.sections.map(({ id, title }, index) => (
          <li key={id}>
            <a
              href={`#${id}`}
              className="block py-1.5 text-sm no-underline hover:text-signal hover:underline"
            >
              {numbered(index, title)}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Block({ block }: { block: PolicyBlock }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return (
        <h3 id={block.id} className="mt-3 scroll-mt-24 text-lg break-after-avoid">
          {block.text}
        </h3>
      )
    case 'text':
      return (
        <p>
          <Inline text={block.text} />
        </p>
      )
    case 'list':
      return (
        <ul className="grid list-disc gap-2 pl-5 marker:text-signal">
          {block.items.map((item) => (
            <li key={item}>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      )
    case 'facts':
      return (
        <dl className="grid gap-3 border-l-2 border-line pl-4">
          {block.facts.map(({ name, text }) => (
            <div key={name} className="break-inside-avoid">
              <dt className="font-semibold">{name}</dt>
              <dd>
                <Inline text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )
  }
}

/** A text whose addresses can be followed. */
function Inline({ text }: { text: string }): ReactNode {
  const t = useTranslations('policies')
  return inlineParts(text).map((part, index) => {
    if (part.href === undefined) return part.text
    if (part.href.startsWith('mailto:')) {
      return (
        <a key={index} href={part.href} className="prose-link">
          {part.text}
        </a>
      )
    }
    return (
      <AppLink key={index} to={part.href} className="prose-link">
        {part.text}
        <span className="sr-only"> ({t('newTab')})</span>
      </AppLink>
    )
  })
}
