"""Documents made up around identifiers, and the queries that must find each: the same at every run."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

WORDS: Final = (  # noqa: SIM905 - so that it reads as a list
    "account alert archive audit backup batch billing branch budget build cache canary catalog channel check "
    "client cluster commit config contract counter customer daemon dataset deadline debug default delete deploy "
    "device digest domain driver editor email engine error event export failure feature fetch filter flag folder "
    "format gateway group handler health history host image import index inbox input invoice issue item job "
    "journal key label latency layer ledger limit list loader local lock logger login mailbox manager merge "
    "message metric migration mirror model module monitor network node notice number object offset order owner "
    "package page parser patch payload payment pipeline plugin policy pool port price process profile project "
    "proxy queue quota rate reader record region release remote replica report request resource result retry "
    "review role route rule runner sample schema score script search secret segment sender server service session "
    "shard signal snapshot socket source stage state storage stream table target task team template tenant test "
    "thread ticket timeout token topic trace transfer trigger update upload user vault vendor version volume "
    "wallet watch webhook window worker writer zone "
).split()
FILLER: Final = (  # noqa: SIM905 - so that it reads as a list
    "the run finished and we looked at it again after the change since nobody had seen why it would not start "
    "when the other part was slow so this needs a second look before the next release is cut by the team on call "
    "this week "
).split()


@dataclass(frozen=True, slots=True)
class Item:
    """A document, and what somebody who has seen it types to find it."""

    ref: str
    title: str
    body: str
    query: str


def _title(words: list[str]) -> list[str]:
    return [word.title() for word in words]


def _identifier(kind: str, words: list[str], draw: random.Random) -> str:
    number = draw.randint(1, 9999)
    snake = "_".join(words)
    return {
        "snake": snake,
        "camel": words[0] + "".join(_title(words[1:])),
        "pascal": "".join(_title(words)),
        "kebab": "-".join(words),
        "dotted": ".".join(words),
        "env": snake.upper(),
        "path": f"{words[0]}/{words[1]}/{words[2]}.py",
        "flag": f"--{'-'.join(words[:2])}",
        "ticket": f"{words[0][:3].upper()}-{number}",
        "email": f"{words[0]}.{words[1]}@{words[2]}.example",
        "version": f"{words[0]}-{draw.randint(0, 30)}.{draw.randint(0, 30)}.{draw.randint(0, 30)}",
        "class path": f"{words[0]}.{words[1]}.{''.join(_title(words[1:]))}",
    }[kind]


KINDS: Final = (
    *("snake", "camel", "pascal", "kebab", "dotted", "env"),
    *("path", "flag", "ticket", "email", "version", "class path"),
)


def items(number: int = 540) -> Iterator[Item]:
    """Make documents with one identifier each, among words that the others' identifiers are made of."""
    draw = random.Random(358)  # noqa: S311 - the same at every run
    seen: set[str] = set()
    while len(seen) < number:
        kind = KINDS[len(seen) % len(KINDS)]
        identifier = _identifier(kind, draw.sample(WORDS, 3), draw)
        if identifier in seen:
            continue
        seen.add(identifier)
        noise = draw.choices(FILLER, k=30) + draw.choices(WORDS, k=15)
        draw.shuffle(noise)
        noise.insert(draw.randrange(len(noise)), identifier)
        title = " ".join(draw.choices(WORDS + FILLER, k=5))
        yield Item(f"doc{len(seen)}", title, " ".join(noise), identifier)


# What is written, and what somebody types: Chinese, Japanese, Korean.
PAIRS: Final = (
    ("部署脚本在周五晚上失败了", "部署"),
    ("数据库迁移需要先备份", "数据库迁移"),
    ("用户登录页面加载太慢", "登录页面"),
    ("支付网关返回超时错误", "超时"),
    ("请检查日志中的内存泄漏", "内存泄漏"),
    ("缓存命中率下降到百分之六十", "命中率"),
    ("新版本发布计划推迟一周", "发布计划"),
    ("测试环境的证书已经过期", "证书"),
    ("搜索结果的排序不正确", "排序"),
    ("会议纪要:预算批准了", "预算批准"),
    ("客户反馈说图片无法上传", "图片无法上传"),
    ("消息队列积压超过一万条", "消息队列"),
    ("权限配置写错了一行", "权限"),
    ("磁盘空间只剩下百分之五", "磁盘空间"),
    ("デプロイは金曜日に失敗しました", "デプロイ"),
    ("データベースの移行手順を書いた", "移行手順"),
    ("検索結果の並び順がおかしい", "並び順"),
    ("認証トークンの有効期限が切れた", "有効期限"),
    ("画像のアップロードができない", "アップロード"),
    ("メモリ使用量が増え続けている", "メモリ"),
    ("新しい仕様書を確認してください", "仕様書"),
    ("夜間バッチが三時間遅れた", "夜間バッチ"),
    ("請求書の金額が間違っている", "請求書"),
    ("障害の原因は設定ミスだった", "設定ミス"),
    ("テスト環境を作り直した", "テスト環境"),
    ("会議は来週の火曜日に延期", "延期"),
    ("ログに警告が大量に出ている", "警告"),
    ("ﾊﾞｯｸｱｯﾌﾟを取り忘れた", "バックアップ"),
    ("배포가 금요일 밤에 실패했다", "배포"),
    ("데이터베이스를 옮기기 전에 백업하세요", "데이터베이스"),
    ("로그인 화면이 너무 느리다", "로그인"),
    ("결제 서버가 응답하지 않는다", "결제 서버"),
    ("인증서가 어제 만료되었습니다", "인증서"),
    ("검색 결과의 순서가 이상하다", "순서"),
    ("메모리 사용량이 계속 늘어난다", "메모리"),
    ("이미지를 업로드할 수 없다", "업로드"),
    ("회의는 다음 주로 미뤄졌다", "회의"),
    ("예산이 승인되었다고 합니다", "예산"),
    ("야간 작업이 세 시간 늦었다", "야간 작업"),
    ("설정 파일의 권한이 잘못되었다", "권한"),
)
