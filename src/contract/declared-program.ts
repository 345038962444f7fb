/**
 * Whether a user agent names a program rather than a browser. For the core and the service alike. A list that is kept elsewhere judges what is no
 * browser. It also knows words that apps put behind a browser (news, scanner, monitor) and that phones are called, so of a whole browser it
 * judges what is left without them.
 */
import { isbot } from 'isbot';
import { keepResults } from './user-agent.js';

/** Engine and browser, with a version each, behind the system in parentheses, in which a phone may have a pair of its own. */
const wholeBrowser =
  /^Mozilla\/5\.0 \((?:[^()]|\([^()]*\))*\) (?:AppleWebKit\/[\d.]+\+?(?: \([^()]*\))?|Gecko\/[\d.]+) [^\s/]+\/[\dA-Z]/;
const system = /^Mozilla\/5\.0 \((?:[^()]|\([^()]*\))*\)/;

/** Programs that present themselves as a whole browser, wherever they put their name. */
const named = new RegExp(
  [
    // Libraries, and browsers without a window.
    ...['Headless', 'PhantomJS', 'SlimerJS', 'HtmlUnit', 'jsdom/', 'HappyDOM/', 'Splash/'],
    ...['python-', 'aiohttp/', 'httpx/', 'curl/', 'wget/', 'libwww-perl', 'Scrapy', 'Go-http-client', 'axios/'],
    ...['node-fetch', 'undici', 'PostmanRuntime', 'HTTPie/', 'GuzzleHttp', 'Apache-HttpClient'],
    // Automation and measurement.
    ...['Playwright', 'Puppeteer', 'Selenium', 'Cypress/', 'WebdriverIO', 'Browserless', 'Browser-use', 'Skyvern'],
    ...['Chrome-Lighthouse', 'PTST/', 'PageSpeed', 'GTmetrix', 'Pingdom', 'DatadogSynthetics', 'Datadog/Synthetics'],
    ...['Checkly', 'Site24x7', 'StatusCake', 'NewRelicPinger', 'Catchpoint', 'W3C_Validator', 'Wappalyzer'],
    // Crawlers and agents whose names do not end like those below.
    ...['Google-[A-Z]', 'Bot-Google', 'Mediapartners-Google', 'APIs-Google', 'FeedFetcher-Google', 'GoogleOther'],
    ...['Google Web Preview', 'GoogleImageProxy', 'Google Favicon', 'BingPreview/', 'SkypeUriPreview', 'adidxbot'],
    ...['facebookexternalhit', 'facebookcatalog', 'meta-external', 'ia_archiver', 'archive\\.org_bot', 'Nutch'],
    ...['(?:ChatGPT|Claude|Perplexity|MistralAI|Manus|Gemini|Amzn|DuckAssist)-User\\b', 'OAI-\\w+', 'cohere-ai'],
    ...['Baiduspider', 'Sogou \\w+ spider', 'Yandex\\w*Bot', 'GPTBot', 'Bytespider', 'proximic'],
    // Tools whose own words apps have, too.
    ...['Agent-NovaAct', 'Ghost[ -]Inspector', 'Snap URL Preview', 'wkhtmlto', 'TestCafe', 'Siteimprove'],
    ...['Prerender \\(', 'Iframely/'],
    // Archives, and scanners of consent and safety.
    ...['ArchiveTeam', 'ArchiveBox', 'heritrix', 'browsertrix', 'web-archiving', 'Archive-It;', 'mirrorweb', 'Spinn3r'],
    ...['OneTrust', 'CookieHubScan', 'Sucuri', 'Foregenix', 'watchTowr', 'Assetnote', 'burpcollaborator', 'Acunetix'],
    ...['Netcraft', 'Qualys', 'Detectify', 'urlscan', 'VirusTotal', 'jsjcw_scanner', 'SQWatcher', 'BrandVerity'],
    // Monitors of sites, of their speed and rank.
    ...['Dotcom-Monitor', 'ThousandEyes', 'Splunk Synthetics', 'GomezAgent', '; Rigor\\)', 'Neustar WPM', 'iplabel'],
    ...['GotSiteMonitor', 'YottaaMonitor', 'notifyninja', 'uptime\\.com', 'Uptimia', 'MonitoRSS', 'contentking'],
    ...[
      'sitebulb',
      'SeoSiteCheckup',
      'NetShelter',
      'Scope3/',
      'PWABuilder',
      'Miniature\\.io',
      'Site-Shot/',
      'YLT Chrome',
    ],
    ...[
      'ips-agent',
      'Datanyze',
      'TSM-turingos',
      'Luminator-',
      'IndeedBot',
      'GnowitNewsbot',
      'FlipboardProxy',
      'TinEye',
    ],
    ...['feeder\\.co', 'google_partner_monitoring', 'HubSpot Single Page', 'Autoconfig Test', '\\w-Google\\b'],
    ...['developers\\.google\\.com', 'cludo\\.com', 'newsai/'],
  ].join('|'),
  'i',
);

/** A part that is compatible with a browser is none: but for two browsers that said so. */
const compatible = /\bcompatible; ?(?!MSIE|Konqueror)\S/i;
/** A name that ends like a crawler’s, or the address of its page. */
const crawlerLike = /(?:(?<!cu)bot|spider|crawler)(?:[/;)-]|$)|\+https?:\/\/[^\s)]*(?:bot|crawl|spider)/i;

/** The same in the system, where the phones of Cubot have theirs. */
const crawlerSystem = /[( ;](?!cubot)[a-z]{2,}bot(?:\d+\.\d|[/;)])/i;
/** More than the engine in the words of the engine, but for a page that Google made smaller for a person. */
const changedEngine = /\(KHTML, like Gecko; ?(?!googleweblight)\w/i;

/**
 * Parts behind a browser in which the list finds a program and people have an app: parentheses, addresses, and words of news readers, scanners,
 * panels and search apps. `crawlerLike` judges those that end like a crawler’s name.
 */
const appLike = new RegExp(
  `\\([^()]*\\)|\\S*(?:${[
    ...['news', 'feed', 'scan', 'monitor', 'advisor', 'http', 'preview', 'download', 'archive'],
    ...['bot', 'google', 'sogou', 'hubspot', 'process/tools', '\\.catcher', 'air\\.com'],
  ].join('|')})\\S*`,
  'gi',
);
/** A system in which the list finds nothing; phones are called like programs. */
const plainSystem = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';

/** Whether the list knows a program in what follows a whole browser. */
const namesProgram = (rest: string): boolean => isbot(plainSystem + rest.replace(appLike, ''));

/** Whether a user agent names a crawler, a library or a tool rather than a browser. */
export const isDeclaredBot = keepResults((text) => {
  if (named.test(text)) return true;
  if (!wholeBrowser.test(text)) return isbot(text);
  const rest = text.replace(system, '');
  if (compatible.test(text) || changedEngine.test(text) || crawlerSystem.test(text)) return true;
  return crawlerLike.test(rest) || namesProgram(rest);
});
