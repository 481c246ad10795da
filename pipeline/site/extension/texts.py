"""The words of the site that no page has, by locale: on our own pages and on controls.

What Sphinx and the theme say stands in their own catalogues. Where these have no Chinese, it is
here too.
"""

from __future__ import annotations

_TEXTS = {
    "zh_CN": {
        "hero": "用 NumPy 的写法编写数组程序，再对函数求导、批处理、编译："
        "同一份代码在 CPU、GPU 和 TPU 上都能运行。",
        "in English": "尚未翻译，英文",
        "english page": "本页英文原文",
        "repository": "源代码仓库",
        "breadcrumbs": "当前位置",
        "home": "首页",
        "start 0": "开始",
        "start 1": "安装",
        "start 2": "教程",
        "elsewhere": "这部分内容请看英文文档：",
        "file": "这里的代码在上游仓库中：",
        "colab": "在 Colab 中打开",
        "kaggle": "在 Kaggle 中打开",
        "broken": "这个页面无法显示，下面是它的英文源文本。错误：",
        "broken page": "译文无法显示，以下为英文源文本",
        "broken blocks": "{blocks} 处无法显示，现为源文本",
        "executed": "下载笔记本（含输出）",
        "clean": "下载笔记本（不含输出）",
        "search": "搜索",
        "glossary": "译名对照",
        "progress": "翻译进度",
        "missing image": "图片缺失：",
        "english": "英文",
        "rendering": "译法",
        "avoided": "不用",
        "note": "说明",
        "this site": "关于译文",
        "expand": "展开",
        "footer": "社区译文；如与英文原文有出入，以原文为准。",
        "original": "英文文档",
        "ticked": "已完成",
        "unticked": "未完成",
    },
    "": {
        "hero": "Write array programs as you would for NumPy, then differentiate, batch and "
        "compile their functions: the same code runs on CPUs, GPUs and TPUs.",
        "in English": "Not translated yet: in English",
        "english page": "This page in English",
        "repository": "Source repository",
        "breadcrumbs": "Breadcrumbs",
        "home": "Home",
        "start 0": "Start",
        "start 1": "Install",
        "start 2": "Tutorials",
        "elsewhere": "See the English docs: ",
        "file": "The code is in upstream's repository: ",
        "colab": "Open in Colab",
        "kaggle": "Open in Kaggle",
        "broken": "This page cannot be shown; this is its English source. The error: ",
        "broken page": "the translation cannot be shown: this is the English source",
        "broken blocks": "{blocks} blocks cannot be shown: they are their source",
        "executed": "Download the notebook (with outputs)",
        "clean": "Download the notebook (without outputs)",
        "search": "Search",
        "glossary": "Glossary",
        "progress": "Progress of the translation",
        "missing image": "Missing image: ",
        "english": "English",
        "rendering": "Rendering",
        "avoided": "Not",
        "note": "Note",
        "this site": "This translation",
        "expand": "Expand",
        "footer": "Translated by the community; the English original is authoritative.",
        "original": "English docs",
        "ticked": "Done",
        "unticked": "Not done",
    },
}


def text(locale: str, key: str) -> str:
    """What the site says at ``key``; in English where it does not speak the locale's language."""
    # A locale that nobody has written texts for gets those in English.
    return _TEXTS.get(locale, _TEXTS[""])[key]


# What Sphinx and the theme say, where their own catalogues have no Chinese.
INTERFACE = {
    "Link to this heading": "本节链接",
    "Link to this image": "图片链接",
    "Link to this table": "表格链接",
    "Link to this code": "代码链接",
    "Link to this definition": "定义链接",
    "Link to this term": "术语链接",
    "Link to this equation": "公式链接",
    "Link to this toctree": "目录链接",
    "Toggle primary sidebar": "展开或收起导航",
    "Toggle secondary sidebar": "展开或收起本页目录",
    "Color mode": "明暗模式",
    "System Settings": "跟随系统",
    "Light": "亮色",
    "Dark": "暗色",
    "Main navigation": "全站导航",
    "Skip to main content": "跳到正文",
    "Back to top": "回到顶部",
    "Search": "搜索",
    "Search this book...": "搜索文档",
    "Search the docs ...": "搜索文档",
    "Page": "本页目录",
    "Contents": "目录",
    "On this page": "本页目录",
    "previous": "上一页",
    "next": "下一页",
    "previous page": "上一页",
    "next page": "下一页",
    "Copy": "复制",
    "Copied!": "已复制",
}
