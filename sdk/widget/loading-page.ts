/** The page as the loader of the models sees it. */
import type { LoadingPage } from './models.js';

export const loadingPage = (): LoadingPage => ({
  savesData: (navigator as { readonly connection?: { readonly saveData?: boolean } }).connection?.saveData === true,
  afterLoad(work) {
    if (document.readyState === 'complete') work();
    else addEventListener('load', work, { once: true });
    return () => removeEventListener('load', work);
  },
});
