import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { Info, type LucideIcon, Mail, RotateCcw, ShieldCheck, Ticket, Trophy, UserRound } from 'lucide-react'
import { useTranslations } from '#i18n/translations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import type { Policy, PolicyBlock, PolicySummary, SummaryPoint } from '../policies.contract.ts'
import { inlineParts, numbered, wholeEmail } from '../policies.rules.ts'

interface PolicyDocumentProps {
  policy: Policy
  action: ReactNode
  children?: ReactNode
}

/** A legal text with its table of contents. */
export function PolicyDocument({ policy, action, children }: PolicyDocumentProps): ReactNode {
  const t = useTranslations('policies')
  return (
    <div className="page-width @container grid grid-cols-1 gap-8 py-8 sm:gap-10 sm:py-12 print:py-0">
      <PageHeader title={policy.title} lead={policy.lead} actions={action} />
      {policy.summary && <Summary summary={policy.summary} />}
      <div className="grid grid-cols-1 gap-8 @4xl:grid-cols-[17rem_minmax(0,1fr)] @4xl:gap-14 print:block">
        <Contents policy={policy} />
        <div className="grid max-w-[68ch] grid-cols-1 gap-12 print:max-w-none print:gap-8">
          <p className="text-sm text-muted">{t('updated', { date: policy.updated })}</p>
          {policy.sections.map(({ id, title, blocks }, index) => (
            <section key={id} aria-labelledby={id} className="grid grid-cols-1 gap-4">
              <h2 id={id} className="scroll-mt-24 text-title">
                {numbered(index, title)}
              </h2>
              {blocks.map((block, position) => (
                <Block key={position} block={block} />
              ))}
            </section>
          ))}
          {children}
        </div>
      </div>
    </div>
  )
}

/** Of those that other pages load as well. */
const ICONS: Record<SummaryPoint, LucideIcon> = {
  cost: Ticket,
  who: UserRound,
  post: Mail,
  draw: ShieldCheck,
  claim: Trophy,
  refund: RotateCcw,
  contact: Info,
}

/** Each point leads to the chapter that says all of it. */
function Summary({ summary: { title, note, points } }: { summary: PolicySummary }): ReactNode {
  return (
    <section
      aria-labelledby="summary"
      className="grid grid-cols-1 gap-4 rounded-lg border border-line bg-surface p-5 sm:p-6"
    >
      <h2 id="summary" className="text-title">
        {title}
      </h2>
      <dl className="grid grid-cols-1 gap-x-8 gap-y-3 @2xl:grid-cols-2 @5xl:grid-cols-4">
        {points.map(({ id, anchor, name, text }) => {
          const Icon = ICONS[id]
          return (
            <div key={id} className="grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-2.5 gap-y-0.5">
              <Icon aria-hidden="true" className="mt-0.5 size-5 text-signal" />
              <dt className="font-semibold">
                <a href={`#${anchor}`} className="no-underline hover:underline">
                  {name}
                </a>
              </dt>
              <dd className="col-span-2 text-sm leading-snug text-muted">
                <Inline text={text} />
              </dd>
            </div>
          )
        })}
      </dl>
      <p className="text-sm text-muted">{note}</p>
    </section>
  )
}

function Contents({ policy }: { policy: Policy }): ReactNode {
  const t = useTranslations('policies')
  return (
    <nav
      aria-labelledby="contents"
      className="self-start rounded-lg border border-line bg-surface p-5 @4xl:sticky @4xl:top-20 @4xl:max-h-[calc(100dvh-6rem)] @4xl:overflow-y-auto print:hidden"
    >
      <h2 id="contents" className="font-text text-sm font-semibold tracking-normal text-muted">
        {t('contents')}
      </h2>
      <ol className="mt-2 grid grid-cols-1">
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
        <ul className="grid list-disc grid-cols-1 gap-2 pl-5 marker:text-signal">
          {block.items.map((item) => (
            <li key={item}>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      )
    case 'facts':
      return (
        <dl className="grid grid-cols-1 gap-3 border-l-2 border-line pl-4">
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

function Inline({ text }: { text: string }): ReactNode {
  const t = useTranslations('policies')
  return inlineParts(text).map((part, index) => {
    if (part.href === undefined) return wholeEmail(part.text)
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
