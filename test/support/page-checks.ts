import type { Page } from 'playwright-core'

/** What moves on the page, or would: animations, transitions, smooth scrolling. */
export const motion = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const nameOf = (one: Animation): string =>
      (one.effect as KeyframeEffect | null)?.target?.outerHTML.slice(0, 80) ?? ''
    const found = document.getAnimations().map((one) => `an animation of ${nameOf(one)}`)
    for (const element of document.querySelectorAll('*')) {
      const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element)
      const lasts = transitionDuration.split(',').some((one) => Number.parseFloat(one) > 0)
      if (animationName !== 'none' || lasts || scrollBehavior === 'smooth')
        found.push(`${element.tagName} ${element.className}: ${animationName} ${transitionDuration}`)
    }
    return found
  })

/** What can be pressed and is too small: buttons and fields have 44 pixels each way, other targets 24. */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const targets = document.querySelectorAll(
      'a[href], button, select, summary, input:not([type=hidden]), [role=tab]',
    )
    return [...targets].flatMap((element) => {
      const target = element.matches('input[type=radio]') ? element.closest('label') : element
      if (!target?.checkVisibility() || target.closest('.sr-only, [inert]')) return []
      const { width: across, height } = target.getBoundingClientRect()
      // A link within a line of text cannot be larger than the line (WCAG 2.5.8, "Inline").
      if (target.matches('a') && getComputedStyle(target).display === 'inline') return []
      const least = target.matches('a') ? 24 : 44
      const name = target.getAttribute('aria-label') ?? target.textContent
      if (across >= least && height >= least) return []
      return [`${target.tagName} "${name?.trim().slice(0, 30)}": ${across.toFixed(1)} x ${height.toFixed(1)}`]
    })
  })
