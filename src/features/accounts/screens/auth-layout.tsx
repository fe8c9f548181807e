import type { ReactNode } from 'react'

/** A narrow form beside a quiet picture of a car; on phones the form alone. */
export function AuthLayout({ title, lead, children }: { title: string; lead: string; children: ReactNode }): ReactNode {
  return (
    <div className="grid grow lg:grid-cols-[minmax(0,34rem)_minmax(0,1fr)]">
      <div className="grid content-start gap-8 px-4 py-10 sm:px-10 sm:py-14">
        <div className="grid gap-2">
          <h1 tabIndex={-1} className="text-headline">
            {title}
          </h1>
          <p className="text-muted">{lead}</p>
        </div>
        {children}
      </div>
      <div aria-hidden="true" className="sticky top-16 hidden h-[calc(100dvh-4rem)] bg-asphalt lg:block">
        <picture>
          <source type="image/avif" srcSet="/media/fastback-night-1280.avif" />
          <img
            src="/media/fastback-night-1280.webp"
            alt=""
            width="1280"
            height="800"
            loading="lazy"
            className="absolute inset-0 size-full object-cover"
          />
        </picture>
      </div>
    </div>
  )
}
