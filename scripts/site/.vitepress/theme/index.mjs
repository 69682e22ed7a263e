// The default theme. Vue only logs the error of a page that the build renders, so the build would pass without its text.
import theme from 'vitepress/theme';

export default {
  extends: theme,
  enhanceApp({ app }) {
    if (import.meta.env.SSR) app.config.throwUnhandledErrorInProduction = true;
  },
};
